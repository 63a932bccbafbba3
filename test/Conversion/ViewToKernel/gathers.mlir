// RUN: tensor-opt %s --view-to-kernel | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK: tkernel.kernel @gather (%i : 2, %j : 3, %k : 4) reads(%[[I:.*]] = %{{.*}} : tensor<2x3xi64>, %[[T:.*]] = %{{.*}} : tensor<8x4xf32>)
// CHECK: %[[V:.*]] = tkernel.load %[[I]][%i, %j] : tensor<2x3xi64>
// CHECK: %[[X:.*]] = arith.index_cast %[[V]] : i64 to index
// CHECK: tkernel.load %[[T]][%[[X]], %k] : tensor<8x4xf32>
func.func @rows(%t: tensor<8x4xf32>, %i: tensor<2x3xi64>) -> tensor<2x3x4xf32> {
  %r = tgraph.gather %t, %i {axis = 0 : i64} : tensor<8x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @batched
// CHECK: tkernel.kernel @gather (%i : 2, %j : 5, %k : 3, %l : 7)
// CHECK: %[[V:.*]] = tkernel.load %{{.*}}[%i, %k] : tensor<2x3xi32>
// CHECK: %[[X:.*]] = arith.index_cast %[[V]] : i32 to index
// CHECK: %[[W:.*]] = tkernel.load %{{.*}}[%i, %k] : tensor<2x3xi32>
// CHECK: %[[Y:.*]] = arith.index_cast %[[W]] : i32 to index
// CHECK: tkernel.load %{{.*}}[%i, %j, %[[X]], %[[Y]], %l] : tensor<2x5x4x6x7xf32>
func.func @batched(%t: tensor<2x5x4x6x7xf32>, %a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> tensor<2x5x3x7xf32> {
  %r = tgraph.gather %t, %a, %b {axis = 2 : i64, batch_dims = 1 : i64}
      : tensor<2x5x4x6x7xf32>, tensor<2x3xi32>, tensor<2x3xi32> -> tensor<2x5x3x7xf32>
  return %r : tensor<2x5x3x7xf32>
}
