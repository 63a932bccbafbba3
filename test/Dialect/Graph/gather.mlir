// Round trip of gather.
// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @gather
func.func @gather(%src: tensor<8x4xf32>, %i: tensor<2x3xi64>, %s3: tensor<2x8x4xf32>, %j: tensor<2x5xi32>) {
  // CHECK: tgraph.gather %{{.*}}, %{{.*}} {axis = 0 : i64} : tensor<8x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  %0 = tgraph.gather %src, %i {axis = 0 : i64} : tensor<8x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  // CHECK: tgraph.gather %{{.*}}, %{{.*}}, %{{.*}} {axis = 0 : i64} : tensor<8x4xf32>, tensor<2x3xi64>, tensor<2x3xi64> -> tensor<2x3xf32>
  %1 = tgraph.gather %src, %i, %i {axis = 0 : i64} : tensor<8x4xf32>, tensor<2x3xi64>, tensor<2x3xi64> -> tensor<2x3xf32>
  // CHECK: tgraph.gather %{{.*}}, %{{.*}} {axis = 1 : i64, batch_dims = 1 : i64} : tensor<2x8x4xf32>, tensor<2x5xi32> -> tensor<2x5x4xf32>
  %2 = tgraph.gather %s3, %j {axis = 1 : i64, batch_dims = 1 : i64} : tensor<2x8x4xf32>, tensor<2x5xi32> -> tensor<2x5x4xf32>
  return
}

