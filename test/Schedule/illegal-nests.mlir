// RUN: tensor-opt %s --kernel-schedule --split-input-file --verify-diagnostics

func.func @split_inner_part(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: split 'ji' by 3 goes beyond the 4 points of an inner part: its factors must divide them, as 2 does [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 4], split ji = [jii, jij 3]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @split_online(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: split 'j' comes after its use in online: put it before, and use its parts there [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[online j, split j = [jo, ji 4]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    tkernel.store %m, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @scan_order(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: scan runs along 'jo' inside of 'ji', which is another part of it: order them as they were split [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 4], order [i, ji, jo]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @scan_along_one_point(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  // expected-error @+1 {{illegal schedule: scan runs along one point, whose axis must be a loop [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 1) reads(%a = %x : tensor<4x1xf32>) -> tensor<4x1xf32>
      attributes {schedule = #tkernel.schedule<[tile [j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x1xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4x1xf32>
}

// -----

func.func @scan_along_two_dimensions(%x: tensor<4x24xf32>) -> tensor<4x24xf32> {
  // expected-error @+1 {{illegal schedule: scan runs along 'jo' and 'ji', both in tile: leave the outer one a loop [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 24) reads(%a = %x : tensor<4x24xf32>) -> tensor<4x24xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 8], tile [jo, ji]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x24xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4x24xf32>
}

// -----

func.func @scan_by_region(%x: tensor<4x24xf32>) -> tensor<4x24xf32> {
  // expected-error @+1 {{illegal schedule: scan by a region runs along 'ji' in order: order it, in place of tile [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 24) reads(%a = %x : tensor<4x24xf32>) -> tensor<4x24xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 8], grid [i], order [jo], tile [ji]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x24xf32>
    %s = tkernel.scan %v over %j identities [0.0 : f32] : f32 {
    ^bb0(%p: f32, %q: f32):
      %t = arith.addf %p, %q : f32
      tkernel.yield %t : f32
    }
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4x24xf32>
}
