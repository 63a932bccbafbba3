// Simplification of movement ops: identities, chains of one kind, constants.
// RUN: tensor-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @identities
// CHECK-SAME: %[[X:.*]]: tensor<2x1xf32>
func.func @identities(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
  %0 = tgraph.permute %x [0, 1] : tensor<2x1xf32> -> tensor<2x1xf32>
  %1 = tgraph.reshape %x : tensor<2x1xf32> -> tensor<2x1xf32>
  %2 = tgraph.expand %x : tensor<2x1xf32> -> tensor<2x1xf32>
  %3 = tgraph.pad %x low [0, 0] high [0, 0] value 1.0 : f32 : tensor<2x1xf32> -> tensor<2x1xf32>
  %4 = tgraph.slice %x offsets [0, 0] sizes [2, 1] strides [1, 3] : tensor<2x1xf32> -> tensor<2x1xf32>
  %5 = tgraph.flip %x dims [1] : tensor<2x1xf32>
  %6 = tgraph.concat %x dim 0 : tensor<2x1xf32> -> tensor<2x1xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}

// CHECK-LABEL: func.func @permutes
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
func.func @permutes(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4x3x2xf32>) {
  %0 = tgraph.permute %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %1 = tgraph.permute %0 [2, 0, 1] : tensor<3x4x2xf32> -> tensor<2x3x4xf32>
  // CHECK: %[[P:.*]] = tgraph.permute %[[X]] [2, 1, 0]
  %2 = tgraph.permute %0 [1, 0, 2] : tensor<3x4x2xf32> -> tensor<4x3x2xf32>
  // CHECK: return %[[X]], %[[P]]
  return %1, %2 : tensor<2x3x4xf32>, tensor<4x3x2xf32>
}

// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: %[[X:.*]]: tensor<2x6xf32>
func.func @reshapes(%x: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<3x4xf32>) {
  %0 = tgraph.reshape %x : tensor<2x6xf32> -> tensor<12xf32>
  %1 = tgraph.reshape %0 : tensor<12xf32> -> tensor<2x6xf32>
  // CHECK: %[[R:.*]] = tgraph.reshape %[[X]] : tensor<2x6xf32> -> tensor<3x4xf32>
  %2 = tgraph.reshape %0 : tensor<12xf32> -> tensor<3x4xf32>
  // CHECK: return %[[X]], %[[R]]
  return %1, %2 : tensor<2x6xf32>, tensor<3x4xf32>
}

// CHECK-LABEL: func.func @chains
// CHECK-SAME: %[[X:.*]]: tensor<4x1xf32>
func.func @chains(%x: tensor<4x1xf32>) -> (tensor<4x8xf32>, tensor<9x1xf32>, tensor<1x1xf32>, tensor<4x1xf32>) {
  %a = tgraph.reshape %x : tensor<4x1xf32> -> tensor<4x1xf32>
  %0 = tgraph.expand %a : tensor<4x1xf32> -> tensor<4x1xf32>
  // CHECK: tgraph.expand %[[X]] : tensor<4x1xf32> -> tensor<4x8xf32>
  %1 = tgraph.expand %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  // CHECK: tgraph.pad %[[X]] low [3, 0] high [2, 0] value 0.000000e+00 : f32
  %2 = tgraph.pad %x low [1, 0] high [2, 0] value 0.0 : f32 : tensor<4x1xf32> -> tensor<7x1xf32>
  %3 = tgraph.pad %2 low [2, 0] high [0, 0] value 0.0 : f32 : tensor<7x1xf32> -> tensor<9x1xf32>
  // CHECK: tgraph.slice %[[X]] offsets [3, 0] sizes [1, 1] strides [4, 1]
  %4 = tgraph.slice %x offsets [1, 0] sizes [2, 1] strides [2, 1] : tensor<4x1xf32> -> tensor<2x1xf32>
  %5 = tgraph.slice %4 offsets [1, 0] sizes [1, 1] strides [2, 1] : tensor<2x1xf32> -> tensor<1x1xf32>
  %6 = tgraph.flip %x dims [0, 1] : tensor<4x1xf32>
  %7 = tgraph.flip %6 dims [0] : tensor<4x1xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %{{.*}}, %[[X]]
  return %1, %3, %5, %7 : tensor<4x8xf32>, tensor<9x1xf32>, tensor<1x1xf32>, tensor<4x1xf32>
}

// Different fills stay apart.
// CHECK-LABEL: func.func @pads
func.func @pads(%x: tensor<4xf32>) -> tensor<6xf32> {
  // CHECK-COUNT-2: tgraph.pad
  %0 = tgraph.pad %x low [1] high [0] value 0.0 : f32 : tensor<4xf32> -> tensor<5xf32>
  %1 = tgraph.pad %0 low [1] high [0] value -0.0 : f32 : tensor<5xf32> -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// CHECK-LABEL: func.func @concats
// CHECK-SAME: %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<3xf32>, %[[E:.*]]: tensor<0xf32>
func.func @concats(%a: tensor<2xf32>, %b: tensor<3xf32>, %e: tensor<0xf32>) -> tensor<7xf32> {
  // CHECK: tgraph.concat %[[A]], %[[A]], %[[B]] dim 0
  %0 = tgraph.concat %a, %b, %e dim 0 : tensor<2xf32>, tensor<3xf32>, tensor<0xf32> -> tensor<5xf32>
  %1 = tgraph.concat %a, %0 dim 0 : tensor<2xf32>, tensor<5xf32> -> tensor<7xf32>
  return %1 : tensor<7xf32>
}

// CHECK-LABEL: func.func @slice_of_concat
// CHECK-SAME: %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<3xf32>
func.func @slice_of_concat(%a: tensor<2xf32>, %b: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = tgraph.concat %a, %b dim 0 : tensor<2xf32>, tensor<3xf32> -> tensor<5xf32>
  %1 = tgraph.slice %0 offsets [0] sizes [2] strides [1] : tensor<5xf32> -> tensor<2xf32>
  // CHECK: %[[C:.*]] = tgraph.concat
  // CHECK: %[[S:.*]] = tgraph.slice %[[B]] offsets [0] sizes [2] strides [2]
  %2 = tgraph.slice %0 offsets [2] sizes [2] strides [2] : tensor<5xf32> -> tensor<2xf32>
  // Of both operands: stays.
  // CHECK: %[[T:.*]] = tgraph.slice %[[C]]
  %3 = tgraph.slice %0 offsets [1] sizes [2] strides [1] : tensor<5xf32> -> tensor<2xf32>
  // CHECK: return %[[A]], %[[S]], %[[T]]
  return %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<3x2xf32>, tensor<4xi32>, tensor<1000x1000xf32>, tensor<6xf32>, tensor<4x4xf32>) {
  // CHECK-DAG: dense<1.000000e+00> : tensor<3x2xf32>
  %a = tgraph.constant dense<1.0> : tensor<2x3xf32>
  %0 = tgraph.permute %a [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  // CHECK-DAG: dense<[1, 2, 3, 4]> : tensor<4xi32>
  %b = tgraph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %1 = tgraph.reshape %b : tensor<2x2xi32> -> tensor<4xi32>
  // CHECK-DAG: dense<2.000000e+00> : tensor<1000x1000xf32>
  %c = tgraph.constant dense<2.0> : tensor<1x1xf32>
  %2 = tgraph.expand %c : tensor<1x1xf32> -> tensor<1000x1000xf32>
  // CHECK-DAG: dense<1.000000e+00> : tensor<6xf32>
  %d = tgraph.constant dense<1.0> : tensor<2xf32>
  %e = tgraph.constant dense<1.0> : tensor<4xf32>
  %3 = tgraph.concat %d, %e dim 0 : tensor<2xf32>, tensor<4xf32> -> tensor<6xf32>
  // Bytes in a file stay where they are.
  // CHECK-DAG: tgraph.constant #tgraph.file<"w.bin", 16, 64> : tensor<4x4xf32>
  %w = tgraph.constant #tgraph.file<"w.bin", 16, 64> : tensor<16xf32>
  %4 = tgraph.reshape %w : tensor<16xf32> -> tensor<4x4xf32>
  return %0, %1, %2, %3, %4 : tensor<3x2xf32>, tensor<4xi32>, tensor<1000x1000xf32>, tensor<6xf32>, tensor<4x4xf32>
}
