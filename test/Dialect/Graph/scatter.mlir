// Round trip of scatter, arg_sort, random and bitcast.
// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @scatter
func.func @scatter(%x: tensor<8x4xf32>, %u: tensor<2x3x4xf32>, %i: tensor<2x3xi64>, %b: tensor<2x8x4xi1>, %v: tensor<2x5x4xi1>, %j: tensor<2x5xi32>) {
  // CHECK: tgraph.scatter %{{.*}}, %{{.*}} at %{{.*}} {axis = 0 : i64} : tensor<8x4xf32>, tensor<2x3x4xf32> at tensor<2x3xi64> -> tensor<8x4xf32>
  %0 = tgraph.scatter %x, %u at %i {axis = 0 : i64} : tensor<8x4xf32>, tensor<2x3x4xf32> at tensor<2x3xi64> -> tensor<8x4xf32>
  // CHECK: tgraph.scatter add %{{.*}}, %{{.*}} at %{{.*}} {axis = 0 : i64} : tensor<8x4xf32>, tensor<2x3x4xf32> at tensor<2x3xi64> -> tensor<8x4xf32>
  %1 = tgraph.scatter add %x, %u at %i {axis = 0 : i64} : tensor<8x4xf32>, tensor<2x3x4xf32> at tensor<2x3xi64> -> tensor<8x4xf32>
  // CHECK: tgraph.scatter any %{{.*}} {axis = 1 : i64, batch_dims = 1 : i64}
  %2 = tgraph.scatter any %b, %v at %j {axis = 1 : i64, batch_dims = 1 : i64} : tensor<2x8x4xi1>, tensor<2x5x4xi1> at tensor<2x5xi32> -> tensor<2x8x4xi1>
  return
}

// CHECK-LABEL: func.func @order
func.func @order(%x: tensor<4x8xf32>, %key: tensor<ui64>) {
  // CHECK: tgraph.arg_sort %{{.*}} dim 1 first 8 : tensor<4x8xf32> -> tensor<4x8xi64>
  %0 = tgraph.arg_sort %x dim 1 first 8 : tensor<4x8xf32> -> tensor<4x8xi64>
  // CHECK: tgraph.arg_sort %{{.*}} dim 0 descending first 3 : tensor<4x8xf32> -> tensor<3x8xi64>
  %1 = tgraph.arg_sort %x dim 0 descending first 3 : tensor<4x8xf32> -> tensor<3x8xi64>
  // CHECK: tgraph.random bits %{{.*}}, %{{.*}} : tensor<ui64> -> tensor<5xui32>
  %2 = tgraph.random bits %key, %key : tensor<ui64> -> tensor<5xui32>
  // CHECK: tgraph.random normal %{{.*}}, %{{.*}} : tensor<ui64> -> tensor<5xf64>
  %3 = tgraph.random normal %key, %key : tensor<ui64> -> tensor<5xf64>
  // CHECK: tgraph.bitcast %{{.*}} : tensor<4x8xf32> to tensor<4x8xui32>
  %4 = tgraph.bitcast %x : tensor<4x8xf32> to tensor<4x8xui32>
  return
}
