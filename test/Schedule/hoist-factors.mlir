// RUN: tensor-opt %s --split-input-file --kernel-join=seed=5 | FileCheck %s
// RUN: tensor-opt %s --split-input-file --kernel-join="seed=5 deterministic=true" | FileCheck %s --check-prefix=EXACT
// Which factors move behind a sum when kernels are joined: divisors of fractions that are the same for all terms.

// EXACT-LABEL: func.func @attention
// EXACT: arith.divf
// EXACT: tkernel.contract

// CHECK-LABEL: func.func @attention
// CHECK: %[[P:.*]] = math.exp
// CHECK: %[[L:.*]] = tkernel.reduce addf %[[P]]
// CHECK-NOT: arith.divf
// CHECK: %[[O:.*]] = tkernel.contract %[[P]],
// CHECK: arith.divf %[[O]], %[[L]]
func.func @attention(%s: tensor<4x8xf32>, %v: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %p = tkernel.kernel (%i : 4, %j : 8) reads(%a = %s : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.reduce maximumf %0 over (%j) : f32
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    %4 = tkernel.reduce addf %3 over (%j) : f32
    %5 = arith.divf %3, %4 : f32
    tkernel.store %5, 0[%i, %j] : f32
  }
  %y = tkernel.kernel (%i : 4, %e : 2, %j : 8) reads(%a = %p : tensor<4x8xf32>, %b = %v : tensor<8x2xf32>) -> tensor<4x2xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.load %b[%j, %e] : tensor<8x2xf32>
    %2 = tkernel.contract %0, %1 over (%j) : f32
    tkernel.store %2, 0[%i, %e] : f32
  }
  return %y : tensor<4x2xf32>
}

// -----

// Weights that are rounded for the product are rounded before they are divided.
// EXACT-LABEL: func.func @rounded
// EXACT: %[[Q:.*]] = arith.divf
// EXACT: arith.truncf %[[Q]]
// EXACT: tkernel.contract

// CHECK-LABEL: func.func @rounded
// CHECK: %[[P:.*]] = math.exp
// CHECK: %[[L:.*]] = tkernel.reduce addf %[[P]]
// CHECK: %[[W:.*]] = arith.truncf %[[P]] : f32 to f16
// CHECK-NOT: arith.divf
// CHECK: %[[O:.*]] = tkernel.contract %[[W]],
// CHECK: arith.divf %[[O]], %[[L]]
func.func @rounded(%s: tensor<4x8xf32>, %v: tensor<8x2xf16>) -> tensor<4x2xf32> {
  %p = tkernel.kernel (%i : 4, %j : 8) reads(%a = %s : tensor<4x8xf32>) -> tensor<4x8xf16> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.reduce maximumf %0 over (%j) : f32
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    %4 = tkernel.reduce addf %3 over (%j) : f32
    %5 = arith.divf %3, %4 : f32
    %6 = arith.truncf %5 : f32 to f16
    tkernel.store %6, 0[%i, %j] : f16
  }
  %y = tkernel.kernel (%i : 4, %e : 2, %j : 8) reads(%a = %p : tensor<4x8xf16>, %b = %v : tensor<8x2xf16>) -> tensor<4x2xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf16>
    %1 = tkernel.load %b[%j, %e] : tensor<8x2xf16>
    %2 = tkernel.contract %0, %1 over (%j) : f16, f16 -> f32
    tkernel.store %2, 0[%i, %e] : f32
  }
  return %y : tensor<4x2xf32>
}

// -----

// More sums than terms: each would be divided.
// CHECK-LABEL: func.func @more_sums
// CHECK: arith.divf
// CHECK: tkernel.contract
// CHECK-NOT: arith.divf
func.func @more_sums(%s: tensor<4x8xf32>, %v: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %p = tkernel.kernel (%i : 4, %j : 8) reads(%a = %s : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.reduce maximumf %0 over (%j) : f32
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    %4 = tkernel.reduce addf %3 over (%j) : f32
    %5 = arith.divf %3, %4 : f32
    tkernel.store %5, 0[%i, %j] : f32
  }
  %y = tkernel.kernel (%i : 4, %e : 16, %j : 8) reads(%a = %p : tensor<4x8xf32>, %b = %v : tensor<8x16xf32>) -> tensor<4x16xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.load %b[%j, %e] : tensor<8x16xf32>
    %2 = tkernel.contract %0, %1 over (%j) : f32
    tkernel.store %2, 0[%i, %e] : f32
  }
  return %y : tensor<4x16xf32>
}

// -----

// The divisor varies along what is summed.
// CHECK-LABEL: func.func @varies
// CHECK: arith.divf
// CHECK: tkernel.contract
// CHECK-NOT: arith.divf
func.func @varies(%s: tensor<4x8xf32>, %l: tensor<8xf32>, %v: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %p = tkernel.kernel (%i : 4, %j : 8) reads(%a = %s : tensor<4x8xf32>, %b = %l : tensor<8xf32>) -> tensor<4x8xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.reduce maximumf %0 over (%j) : f32
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    %4 = tkernel.load %b[%j] : tensor<8xf32>
    %5 = arith.divf %3, %4 : f32
    tkernel.store %5, 0[%i, %j] : f32
  }
  %y = tkernel.kernel (%i : 4, %e : 2, %j : 8) reads(%a = %p : tensor<4x8xf32>, %b = %v : tensor<8x2xf32>) -> tensor<4x2xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.load %b[%j, %e] : tensor<8x2xf32>
    %2 = tkernel.contract %0, %1 over (%j) : f32
    tkernel.store %2, 0[%i, %e] : f32
  }
  return %y : tensor<4x2xf32>
}

// -----

// Powers of what is not below its own maximum: their sum may overflow where the terms do not.
// CHECK-LABEL: func.func @large
// CHECK: arith.divf
// CHECK: tkernel.contract
// CHECK-NOT: arith.divf
func.func @large(%s: tensor<4x8xf32>, %m: tensor<4xf32>, %v: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %p = tkernel.kernel (%i : 4, %j : 8) reads(%a = %s : tensor<4x8xf32>, %b = %m : tensor<4xf32>) -> tensor<4x8xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.load %b[%i] : tensor<4xf32>
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    %4 = tkernel.reduce addf %3 over (%j) : f32
    %5 = arith.divf %3, %4 : f32
    tkernel.store %5, 0[%i, %j] : f32
  }
  %y = tkernel.kernel (%i : 4, %e : 2, %j : 8) reads(%a = %p : tensor<4x8xf32>, %b = %v : tensor<8x2xf32>) -> tensor<4x2xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.load %b[%j, %e] : tensor<8x2xf32>
    %2 = tkernel.contract %0, %1 over (%j) : f32
    tkernel.store %2, 0[%i, %e] : f32
  }
  return %y : tensor<4x2xf32>
}

// -----

// Fractions times a number, which is infinite where a term is 0 times it.
// CHECK-LABEL: func.func @product
// CHECK: arith.mulf
// CHECK: tkernel.contract
// CHECK-NOT: arith.mulf
func.func @product(%s: tensor<4x8xf32>, %h: tensor<4xf32>, %v: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %p = tkernel.kernel (%i : 4, %j : 8) reads(%a = %s : tensor<4x8xf32>, %b = %h : tensor<4xf32>) -> tensor<4x8xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.reduce maximumf %0 over (%j) : f32
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    %4 = tkernel.load %b[%i] : tensor<4xf32>
    %5 = arith.mulf %3, %4 : f32
    tkernel.store %5, 0[%i, %j] : f32
  }
  %y = tkernel.kernel (%i : 4, %e : 2, %j : 8) reads(%a = %p : tensor<4x8xf32>, %b = %v : tensor<8x2xf32>) -> tensor<4x2xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.load %b[%j, %e] : tensor<8x2xf32>
    %2 = tkernel.contract %0, %1 over (%j) : f32
    tkernel.store %2, 0[%i, %e] : f32
  }
  return %y : tensor<4x2xf32>
}

// -----

// The quotient is read twice: dividing it once is cheaper. And the largest of them is no sum.
// CHECK-LABEL: func.func @read_twice
// CHECK: arith.divf
// CHECK: tkernel.reduce addf
// CHECK: tkernel.reduce maximumf
// CHECK-NOT: arith.divf
func.func @read_twice(%s: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = tkernel.kernel (%i : 4, %j : 8) reads(%a = %s : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.reduce maximumf %0 over (%j) : f32
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    %4 = tkernel.reduce addf %3 over (%j) : f32
    %5 = arith.divf %3, %4 : f32
    tkernel.store %5, 0[%i, %j] : f32
  }
  %y:2 = tkernel.kernel (%i : 4, %j : 8) reads(%a = %p : tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.reduce addf %0 over (%j) : f32
    %2 = tkernel.reduce maximumf %0 over (%j) : f32
    tkernel.store %1, 0[%i] : f32
    tkernel.store %2, 1[%i] : f32
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
}
