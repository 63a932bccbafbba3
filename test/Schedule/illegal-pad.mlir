// RUN: tensor-opt %s --split-input-file --kernel-to-launch --kernel-to-tile --verify-diagnostics
// Every reason for which an axis cannot be padded.

func.func @stored(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  // expected-error @+1 {{illegal schedule: edge 'j' pad: it is reduced, and a store works along it: use edge mask or peel [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 9) reads(%a = %x : tensor<4x9xf32>) -> tensor<4x9xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 4], stage v at grid local, edge j pad]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x9xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %d = arith.divf %v, %s : f32
    tkernel.store %d, 0[%i, %j] : f32
  }
  return %y : tensor<4x9xf32>
}

// -----

func.func @scanned_and_reduced(%x: tensor<4x9xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: edge 'j' pad: a scan works along it: use edge mask or peel [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 9) reads(%a = %x : tensor<4x9xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 4], stage v at grid local, edge j pad]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x9xf32>
    %c = tkernel.scan addf %v over %j : f32
    %s = tkernel.reduce maximumf %c over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @counted(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: edge 'j' pad: 's' counts its points: what it takes does not vary along it: use edge mask or peel [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 9) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 4], edge j pad]>} {
    %v = tkernel.load %a[%i] {name = "v"} : tensor<4xf32>
    %s = tkernel.reduce addf %v over (%j) {name = "s"} : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

// The product of a zero of the panel with an infinite scale is no zero.
func.func @factor(%x: tensor<4x9xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: edge 'k' pad: an operand of 'tkernel.contract' does not vary along it, and infinity times zero is no zero: use edge mask or peel [T0310]}}
  %y = tkernel.kernel (%i : 4, %k : 9) reads(%a = %x : tensor<4x9xf32>, %b = %w : tensor<4xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[split k = [ko, ki 4], stage v at grid local, edge k pad]>} {
    %v = tkernel.load %a[%i, %k] {name = "v"} : tensor<4x9xf32>
    %f = tkernel.load %b[%i] {name = "f"} : tensor<4xf32>
    %s = tkernel.contract %v, %f over (%k) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

// In a loop the infinity would meet the zero of the other panel.
func.func @not_staged(%x: tensor<4x9xf32>, %w: tensor<9x5xf32>) -> tensor<4x5xf32> {
  // expected-error @+1 {{illegal schedule: edge 'k' pad: 'sum' takes 'rhs' along it, which would have to be staged: use edge mask or peel [T0310]}}
  %y = tkernel.kernel (%m : 4, %n : 5, %k : 9) reads(%a = %x : tensor<4x9xf32>, %b = %w : tensor<9x5xf32>) -> tensor<4x5xf32>
      attributes {schedule = #tkernel.schedule<[split k = [ko, ki 4], stage lhs at grid local, edge k pad]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<4x9xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<9x5xf32>
    %2 = tkernel.contract %0, %1 over (%k) {name = "sum"} : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<4x5xf32>
}

// -----

// There is a tenth element.
func.func @window(%x: tensor<4x10xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: edge 'j' pad: 'v' is staged as a window, and what it reads beyond the axis is not neutral: use edge mask or peel [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 9) reads(%a = %x : tensor<4x10xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 4], stage v window at grid local, edge j pad]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x10xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

// What lies outside of the tensor is one, not zero.
func.func @window_of_ones(%x: tensor<4x9xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: edge 'j' pad: 'v' is staged as a window, and what it reads beyond the axis is not neutral: use edge mask or peel [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 9) reads(%a = %x : tensor<4x9xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 4], stage v window at grid local, edge j pad]>} {
    %v = tkernel.load %a[%i, %j] else 1.0 {name = "v"} : tensor<4x9xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @two_ways(%x: tensor<4x9xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: edge 'j' pad: 'v' is reduced in two ways, which differ in what is neutral: use edge mask or peel [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 9) reads(%a = %x : tensor<4x9xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 4], stage v at grid local, edge j pad]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x9xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %t = tkernel.reduce maximumf %v over (%j) : f32
    %u = arith.addf %s, %t : f32
    tkernel.store %u, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @index(%x: tensor<4x9xi64>) -> tensor<4xi64> {
  // expected-error @+1 {{illegal schedule: edge 'j' pad: 's' takes 'arith.index_cast' along it, which would have to be staged: use edge mask or peel [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 9) reads(%a = %x : tensor<4x9xi64>) -> tensor<4xi64>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 4], edge j pad]>} {
    %v = arith.index_cast %j : index to i64
    %s = tkernel.reduce addi %v over (%j) {name = "s"} : i64
    tkernel.store %s, 0[%i] : i64
  }
  return %y : tensor<4xi64>
}

// -----

func.func @rows(%x: tensor<9x4xf32>) -> tensor<9xf32> {
  // expected-error @+1 {{illegal schedule: edge 'i' pad: 's' reads 'v' along it, which would have to be staged: use edge mask or peel [T0310]}}
  %y = tkernel.kernel (%i : 9, %k : 4) reads(%a = %x : tensor<9x4xf32>) -> tensor<9xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 4], edge i pad]>} {
    %v = tkernel.load %a[%i, %k] {name = "v"} : tensor<9x4xf32>
    %s = tkernel.reduce addf %v over (%k) {name = "s"} : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<9xf32>
}

// -----

func.func @division(%x: tensor<9x4xi32>) -> tensor<9xi32> {
  // expected-error @+1 {{illegal schedule: edge 'i' pad: 'q' could stop the machine beyond it: use edge mask or peel [T0310]}}
  %y = tkernel.kernel (%i : 9, %k : 4) reads(%a = %x : tensor<9x4xi32>) -> tensor<9xi32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 4], stage v at grid local, edge i pad]>} {
    %v = tkernel.load %a[%i, %k] {name = "v"} : tensor<9x4xi32>
    %c = arith.constant 7 : i32
    %q = arith.remui %c, %v {name = "q"} : i32
    %s = tkernel.reduce addi %q over (%k) {name = "s"} : i32
    tkernel.store %s, 0[%i] : i32
  }
  return %y : tensor<9xi32>
}

// -----

func.func @scan(%x: tensor<9x4xf32>) -> tensor<9x4xf32> {
  // expected-error @+1 {{illegal schedule: edge 'i' pad: a scan works along it: use edge mask or peel [T0310]}}
  %y = tkernel.kernel (%i : 9, %k : 4) reads(%a = %x : tensor<9x4xf32>) -> tensor<9x4xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 4], order [k, io, ii], stage v at grid local, edge i pad]>} {
    %v = tkernel.load %a[%i, %k] {name = "v"} : tensor<9x4xf32>
    %s = tkernel.scan addf %v over %i : f32
    tkernel.store %s, 0[%i, %k] : f32
  }
  return %y : tensor<9x4xf32>
}

// -----

func.func @elementwise(%x: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error @+1 {{illegal schedule: edge 'i' pad: no reduction reads a panel along it: use edge mask or peel [T0310]}}
  %y = tkernel.kernel (%i : 9) reads(%a = %x : tensor<9xf32>) -> tensor<9xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 4], tile [ii], edge i pad]>} {
    %v = tkernel.load %a[%i] : tensor<9xf32>
    tkernel.store %v, 0[%i] : f32
  }
  return %y : tensor<9xf32>
}
