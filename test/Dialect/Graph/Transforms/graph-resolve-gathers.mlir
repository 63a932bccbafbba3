// graph-resolve-gathers reads elements at known positions by movement.
// RUN: tensor-opt %s --graph-resolve-gathers --canonicalize --split-input-file | FileCheck %s

// Images twice as large.
// CHECK-LABEL: func.func @repeated
// CHECK-NOT: gather
// CHECK: tgraph.expand %{{.*}} -> tensor<2x3x2xf32>
func.func @repeated(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %i = tgraph.constant dense<[0, 0, 1, 1, 2, 2]> : tensor<6xi64>
  %r = tgraph.gather %x, %i {axis = 1 : i64} : tensor<2x3xf32>, tensor<6xi64> -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}

// -----

// A reflected border: down to the first element, up to the last, two down.
// CHECK-LABEL: func.func @reflected
// CHECK: %[[A:.*]] = tgraph.slice %arg0 offsets [0] sizes [3]
// CHECK: %[[B:.*]] = tgraph.flip %[[A]]
// CHECK: %[[C:.*]] = tgraph.slice %arg0 offsets [1] sizes [4]
// CHECK: %[[D:.*]] = tgraph.slice %arg0 offsets [2] sizes [2]
// CHECK: %[[E:.*]] = tgraph.flip %[[D]]
// CHECK: tgraph.concat %[[B]], %[[C]], %[[E]] dim 0
func.func @reflected(%x: tensor<5xf32>) -> tensor<9xf32> {
  %i = tgraph.constant dense<[2, 1, 0, 1, 2, 3, 4, 3, 2]> : tensor<9xi32>
  %r = tgraph.gather %x, %i {axis = 0 : i64} : tensor<5xf32>, tensor<9xi32> -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// -----

// Positions of any rank; a sequence that repeats; a progression; one element.
// CHECK-LABEL: func.func @others
// CHECK: tgraph.expand %{{.*}} -> tensor<3x2x4xf32>
// CHECK: tgraph.slice %arg0 offsets [7, 0] sizes [1, -1]
// CHECK: tgraph.slice %arg0 offsets [1, 0] sizes [3, -1] strides [3, 1]
func.func @others(%x: tensor<8x4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<3x4xf32>) {
  %i = tgraph.constant dense<[[0, 1, 0], [1, 0, 1]]> : tensor<2x3xi64>
  %r = tgraph.gather %x, %i {axis = 0 : i64} : tensor<8x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  %j = tgraph.constant dense<7> : tensor<i64>
  %s = tgraph.gather %x, %j {axis = 0 : i64} : tensor<8x4xf32>, tensor<i64> -> tensor<4xf32>
  %k = tgraph.constant dense<[1, 4, 7]> : tensor<3xi64>
  %t = tgraph.gather %x, %k {axis = 0 : i64} : tensor<8x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return %r, %s, %t : tensor<2x3x4xf32>, tensor<4xf32>, tensor<3x4xf32>
}

// -----

// What is outside reads zeros, and no simple order stays a gather.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-2: tgraph.gather
func.func @kept(%x: tensor<8xf32>) -> (tensor<2xf32>, tensor<9xf32>) {
  %i = tgraph.constant dense<[7, 8]> : tensor<2xi64>
  %r = tgraph.gather %x, %i {axis = 0 : i64} : tensor<8xf32>, tensor<2xi64> -> tensor<2xf32>
  %j = tgraph.constant dense<[0, 5, 2, 2, 7, 1, 1, 6, 0]> : tensor<9xi64>
  %s = tgraph.gather %x, %j {axis = 0 : i64} : tensor<8xf32>, tensor<9xi64> -> tensor<9xf32>
  return %r, %s : tensor<2xf32>, tensor<9xf32>
}
