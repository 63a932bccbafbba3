// Round trip of window, reduce, arg_reduce, scan, associative_scan.
// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<4x8xf32>, %y: tensor<4x5xf32>, %b: tensor<2x3xi1>, %h: tensor<4x8xbf16>) {
  // CHECK: tgraph.window max %{{.*}} window [1, 2] strides [1, 2] dilations [1, 1] pad_low [0, 0] pad_high [0, 1] : tensor<4x5xf32> -> tensor<4x3xf32>
  %0 = tgraph.window max %y window [1, 2] strides [1, 2] dilations [1, 1] pad_low [0, 0] pad_high [0, 1] : tensor<4x5xf32> -> tensor<4x3xf32>
  // CHECK: tgraph.reduce add %{{.*}} dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = tgraph.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  // CHECK: tgraph.reduce mul %{{.*}} dims [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %2 = tgraph.reduce mul %x dims [0, 1] : tensor<4x8xf32> -> tensor<f32>
  // CHECK: tgraph.reduce max %{{.*}} dims [] : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = tgraph.reduce max %x dims [] : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: tgraph.reduce all %{{.*}} dims [0] : tensor<2x3xi1> -> tensor<3xi1>
  %4 = tgraph.reduce all %b dims [0] : tensor<2x3xi1> -> tensor<3xi1>
  // CHECK: tgraph.reduce any %{{.*}} dims [1] : tensor<2x3xi1> -> tensor<2xi1>
  %5 = tgraph.reduce any %b dims [1] : tensor<2x3xi1> -> tensor<2xi1>
  // CHECK: tgraph.arg_reduce max %{{.*}} dim 1 : tensor<4x8xf32> -> tensor<4xi64>
  %6 = tgraph.arg_reduce max %x dim 1 : tensor<4x8xf32> -> tensor<4xi64>
  // CHECK: tgraph.arg_reduce min %{{.*}} dim 0 : tensor<4x8xf32> -> tensor<8xi64>
  %7 = tgraph.arg_reduce min %x dim 0 : tensor<4x8xf32> -> tensor<8xi64>
  // CHECK: tgraph.scan add %{{.*}} dim 1 : tensor<4x8xf32>
  %8 = tgraph.scan add %x dim 1 : tensor<4x8xf32>
  // CHECK: tgraph.scan add %{{.*}} dim 1 {exclusive, reverse} : tensor<4x8xf32>
  %9 = tgraph.scan add %x dim 1 {exclusive, reverse} : tensor<4x8xf32>
  // CHECK: tgraph.associative_scan %{{.*}}, %{{.*}} dim 1 reverse : tensor<4x8xf32>, tensor<4x8xf32> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>, %[[C:.*]]: tensor<f32>, %[[D:.*]]: tensor<f32>):
  // CHECK-NEXT: %[[P:.*]] = tgraph.mul %[[C]], %[[A]] : tensor<f32>
  // CHECK: tgraph.yield %[[P]], %{{.*}} : tensor<f32>, tensor<f32>
  %10:2 = tgraph.associative_scan %x, %8 dim 1 reverse : tensor<4x8xf32>, tensor<4x8xf32> {
  ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<f32>, %b1: tensor<f32>):
    %p = tgraph.mul %a1, %a0 : tensor<f32>
    %q = tgraph.mul %a1, %b0 : tensor<f32>
    %r = tgraph.add %q, %b1 : tensor<f32>
    tgraph.yield %p, %r : tensor<f32>, tensor<f32>
  }
  // CHECK: tgraph.associative_scan %{{.*}} dim 0 : tensor<4x8xbf16> {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>):
  %11 = tgraph.associative_scan %h dim 0 : tensor<4x8xbf16> {
  ^bb0(%u: tensor<f32>, %v: tensor<f32>):
    %t = tgraph.maximum %u, %v : tensor<f32>
    tgraph.yield %t : tensor<f32>
  }
  return
}
