// RUN: tensor-opt %s --split-input-file --kernel-inline-shared="traits=threads=1" | FileCheck %s
// RUN: tensor-opt %s --split-input-file --kernel-inline-shared=seed=1 --interpret="integers=true digits=5" -o %t.ir | grep -v "^//" > %t.drawn
// RUN: tensor-opt %s --split-input-file --interpret="integers=true digits=5" -o %t.ir | grep -v "^//" | diff - %t.drawn
// An elementwise kernel that several read goes into all of them where the price says so.

// Sums along both dimensions: no order of loops serves both, so they stay two kernels, and both compute what they sum.
// CHECK-LABEL: func.func @sums
// CHECK: tkernel.kernel {{.*}}reads(%{{.*}} = %arg0
// CHECK: arith.negf
// CHECK: tkernel.kernel {{.*}}reads(%{{.*}} = %arg0
// CHECK: arith.negf
// CHECK-NOT: tkernel.kernel
func.func @sums(%x: tensor<64x48xf32>) -> (tensor<64xf32>, tensor<48xf32>) {
  %p = tkernel.kernel @neg (%i : 64, %j : 48) reads(%a = %x : tensor<64x48xf32>) -> tensor<64x48xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<64x48xf32>
    %1 = arith.negf %0 : f32
    tkernel.store %1, 0[%i, %j] : f32
  }
  %r = tkernel.kernel @rows (%i : 64, %j : 48) reads(%a = %p : tensor<64x48xf32>) -> tensor<64xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<64x48xf32>
    %1 = tkernel.reduce addf %0 over (%j) : f32
    tkernel.store %1, 0[%i] : f32
  }
  %c = tkernel.kernel @columns (%j : 48, %i : 64) reads(%a = %p : tensor<64x48xf32>) -> tensor<48xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<64x48xf32>
    %1 = tkernel.reduce addf %0 over (%i) : f32
    tkernel.store %1, 0[%j] : f32
  }
  return %r, %c : tensor<64xf32>, tensor<48xf32>
}

// -----

// Functions take longer than to store what they give and to load it.
// CHECK-LABEL: func.func @dear
// CHECK: %[[P:.*]] = tkernel.kernel
// CHECK: tkernel.kernel {{.*}}reads(%{{.*}} = %[[P]]
// CHECK: tkernel.kernel {{.*}}reads(%{{.*}} = %[[P]]
func.func @dear(%x: tensor<64x480xf32>) -> (tensor<64xf32>, tensor<480xf32>) {
  %p = tkernel.kernel @functions (%i : 64, %j : 480) reads(%a = %x : tensor<64x480xf32>) -> tensor<64x480xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<64x480xf32>
    %1 = math.tanh %0 : f32
    %2 = math.erf %1 : f32
    %3 = math.sin %2 : f32
    tkernel.store %3, 0[%i, %j] : f32
  }
  %r = tkernel.kernel @rows (%i : 64, %j : 480) reads(%a = %p : tensor<64x480xf32>) -> tensor<64xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<64x480xf32>
    %1 = tkernel.reduce addf %0 over (%j) : f32
    tkernel.store %1, 0[%i] : f32
  }
  %c = tkernel.kernel @columns (%j : 480, %i : 64) reads(%a = %p : tensor<64x480xf32>) -> tensor<480xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<64x480xf32>
    %1 = tkernel.reduce addf %0 over (%i) : f32
    tkernel.store %1, 0[%j] : f32
  }
  return %r, %c : tensor<64xf32>, tensor<480xf32>
}

// -----

// An operand of a product is left to what takes the product.
// CHECK-LABEL: func.func @product
// CHECK: %[[P:.*]] = tkernel.kernel
// CHECK: tkernel.kernel {{.*}}reads(%{{.*}} = %[[P]]
// CHECK: tkernel.kernel {{.*}}reads(%{{.*}} = %[[P]]
func.func @product(%x: tensor<2x64xf32>, %w: tensor<64x4xf32>) -> (tensor<2xf32>, tensor<2x4xf32>) {
  %p = tkernel.kernel @neg (%i : 2, %j : 64) reads(%a = %x : tensor<2x64xf32>) -> tensor<2x64xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<2x64xf32>
    %1 = arith.negf %0 : f32
    tkernel.store %1, 0[%i, %j] : f32
  }
  %r = tkernel.kernel @rows (%i : 2, %j : 64) reads(%a = %p : tensor<2x64xf32>) -> tensor<2xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<2x64xf32>
    %1 = tkernel.reduce addf %0 over (%j) : f32
    tkernel.store %1, 0[%i] : f32
  }
  %y = tkernel.kernel @contract (%i : 2, %n : 4, %k : 64) reads(%a = %p : tensor<2x64xf32>, %b = %w : tensor<64x4xf32>) -> tensor<2x4xf32> {
    %0 = tkernel.load %a[%i, %k] : tensor<2x64xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<64x4xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%i, %n] : f32
  }
  return %r, %y : tensor<2xf32>, tensor<2x4xf32>
}
