// Round trip of the ops that move elements.
// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @movement
func.func @movement(%x: tensor<2x3xf32>, %s: tensor<4x1xf32>, %p: tensor<4x4xf32>, %q: tensor<4x5xf32>, %b: tensor<2x1xf32>, %u: tensor<2xui8>, %r: tensor<2x6xf32>) {
  // CHECK: tgraph.permute %{{.*}} [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %0 = tgraph.permute %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  // CHECK: tgraph.reshape %{{.*}} : tensor<2x6xf32> -> tensor<3x4xf32>
  %1 = tgraph.reshape %r : tensor<2x6xf32> -> tensor<3x4xf32>
  // CHECK: tgraph.expand %{{.*}} : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = tgraph.expand %s : tensor<4x1xf32> -> tensor<4x8xf32>
  // CHECK: tgraph.pad %{{.*}} low [0, 1] high [2, 0] value 0.000000e+00 : f32 : tensor<4x4xf32> -> tensor<6x5xf32>
  %3 = tgraph.pad %p low [0, 1] high [2, 0] value 0.0 : f32 : tensor<4x4xf32> -> tensor<6x5xf32>
  // CHECK: tgraph.pad %{{.*}} low [1] high [0] value 3 : ui8 : tensor<2xui8> -> tensor<3xui8>
  %4 = tgraph.pad %u low [1] high [0] value 3 : ui8 : tensor<2xui8> -> tensor<3xui8>
  // CHECK: tgraph.slice %{{.*}} offsets [0, 1] sizes [4, 2] strides [1, 2] : tensor<4x5xf32> -> tensor<4x2xf32>
  %5 = tgraph.slice %q offsets [0, 1] sizes [4, 2] strides [1, 2] : tensor<4x5xf32> -> tensor<4x2xf32>
  // CHECK: tgraph.flip %{{.*}} dims [1] : tensor<2x3xf32>
  %6 = tgraph.flip %x dims [1] : tensor<2x3xf32>
  // CHECK: tgraph.concat %{{.*}}, %{{.*}} dim 1 : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x4xf32>
  %7 = tgraph.concat %x, %b dim 1 : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x4xf32>
  %i = tgraph.constant dense<1> : tensor<i64>
  // CHECK: tgraph.update_slice %{{.*}}, %{{.*}} at <[0, 2]> : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  %8 = tgraph.update_slice %x, %b at <[0, 2]> : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  // CHECK: tgraph.update_slice %{{.*}}, %{{.*}} at <[0, 0]> plus %{{.*}} along [1] : tensor<2x3xf32>, tensor<2x1xf32>, tensor<i64> -> tensor<2x3xf32>
  %9 = tgraph.update_slice %x, %b at <[0, 0]> plus %i along [1] : tensor<2x3xf32>, tensor<2x1xf32>, tensor<i64> -> tensor<2x3xf32>
  return
}

