// RUN: tensor-opt %s --kernel-schedule --split-input-file --verify-diagnostics

func.func @unknown_axis(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: expected one of the axes i, j, found 'k' [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [k]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @reduced_grid(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: grid 'j' is reduced: programs do not share partial results [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[grid [i, j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @placed_twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: tile 'i' is already in grid, tile or order [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [i]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @split_after_use(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: split 'i' comes after its use in grid, tile or order [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], split i = [io, ii 2]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @name_taken(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: split 'i' gives the name 'j', which another axis has [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, j 2]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @partial_results(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: order puts loop 'i' inside a reduced axis of a result that keeps it: its partial results would need memory; order it before, or put it in grid or tile [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[order [j, i]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @scan_in_grid(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: scan runs along 'j', which must be a loop [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i, j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @budget(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{illegal schedule: tile of 4096 elements exceeds the register budget of 2048: split its axes smaller [T0310]}}
  %y = tkernel.kernel (%i : 64, %j : 64) reads(%a = %x : tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {schedule = #tkernel.schedule<[tile [i, j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<64x64xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<64x64xf32>
}

// -----

func.func @keep_nothing(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: keep 'e' names no value: give an op of the kernel name = "e" [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[keep e result]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @edge_nothing(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: edge 'j' names no axis that was split [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[edge j peel]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}
