// Simplification of iota, window, reduce, scan.
// RUN: tensor-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @identities
// CHECK-SAME: %[[X:.*]]: tensor<4x1xf32>
func.func @identities(%x: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<1x3xi64>) {
  // CHECK-DAG: %[[Z:.*]] = tgraph.constant dense<0> : tensor<1x3xi64>
  // CHECK-DAG: %[[S:.*]] = tgraph.scan add %[[X]] dim 1 {exclusive}
  // CHECK: return %[[X]], %[[X]], %[[X]], %[[S]], %[[Z]]
  %0 = tgraph.window max %x window [1, 1] strides [1, 1] dilations [2, 1] pad_low [0, 0] pad_high [0, 0] : tensor<4x1xf32> -> tensor<4x1xf32>
  %1 = tgraph.reduce add %x dims [] : tensor<4x1xf32> -> tensor<4x1xf32>
  %2 = tgraph.scan add %x dim 1 : tensor<4x1xf32>
  %3 = tgraph.scan add %x dim 1 {exclusive} : tensor<4x1xf32>
  %4 = tgraph.iota dim 0 : tensor<1x3xi64>
  return %0, %1, %2, %3, %4 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<1x3xi64>
}

// CHECK-LABEL: func.func @chains
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4x5xf32>, %[[Y:.*]]: tensor<4x1xf32>
func.func @chains(%x: tensor<2x3x4x5xf32>, %y: tensor<4x1xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: tgraph.reduce add %[[X]] dims [0, 1, 3] : tensor<2x3x4x5xf32> -> tensor<4xf32>
  %0 = tgraph.reduce add %x dims [1] : tensor<2x3x4x5xf32> -> tensor<2x4x5xf32>
  %1 = tgraph.reduce add %0 dims [0, 2] : tensor<2x4x5xf32> -> tensor<4xf32>
  // Kinds differ: stays.
  // CHECK: tgraph.reduce max
  // CHECK: tgraph.reduce add
  %2 = tgraph.reduce max %x dims [1] : tensor<2x3x4x5xf32> -> tensor<2x4x5xf32>
  %3 = tgraph.reduce add %2 dims [0, 2] : tensor<2x4x5xf32> -> tensor<4xf32>
  // CHECK: tgraph.reshape %[[Y]] : tensor<4x1xf32> -> tensor<4xf32>
  %4 = tgraph.reduce mul %y dims [1] : tensor<4x1xf32> -> tensor<4xf32>
  return %1, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @expands
// CHECK-SAME: %[[X:.*]]: tensor<4x1xf32>, %[[I:.*]]: tensor<4x1xi32>
func.func @expands(%x: tensor<4x1xf32>, %i: tensor<4x1xi32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) {
  // CHECK-DAG: %[[EIGHT:.*]] = tgraph.constant dense<8> : tensor<4xi32>
  // A float sum rounds otherwise than a product: its expand stays.
  // CHECK: %[[E:.*]] = tgraph.expand %[[X]]
  // CHECK: %[[M:.*]] = tgraph.reshape %[[X]] : tensor<4x1xf32> -> tensor<4xf32>
  %0 = tgraph.expand %x : tensor<4x1xf32> -> tensor<4x8xf32>
  %1 = tgraph.reduce max %0 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  // CHECK: %[[J:.*]] = tgraph.reshape %[[I]] : tensor<4x1xi32> -> tensor<4xi32>
  // CHECK: %[[S:.*]] = tgraph.mul %[[J]], %[[EIGHT]]
  %2 = tgraph.expand %i : tensor<4x1xi32> -> tensor<4x8xi32>
  %3 = tgraph.reduce add %2 dims [1] : tensor<4x8xi32> -> tensor<4xi32>
  // CHECK: %[[F:.*]] = tgraph.reduce add %[[E]]
  // CHECK: return %[[M]], %[[S]], %[[F]]
  %4 = tgraph.reduce add %0 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %1, %3, %4 : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
}
