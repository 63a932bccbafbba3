// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-decompose --graph-to-view --view-to-kernel --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-decompose --graph-to-view --view-to-kernel --kernel-schedule --kernel-to-launch --kernel-to-tile --interpret -o /dev/null \
// RUN:   | FileCheck %s

func.func @main() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x4xf32>, tensor<1x2x2xf32>) {
  %x = tgraph.constant dense<[1.0, -2.0, 0x7FC00000, 0.5]> : tensor<4xf32>
  // CHECK: result 0 : tensor<4xf32> = 1 0 nan 0.5
  %relu = tgraph.relu %x : tensor<4xf32>
  // CHECK: result 1 : tensor<4xf32> = 0.8413 -0.0455 nan 0.3457
  %erf = tgraph.gelu erf %x : tensor<4xf32>
  // CHECK: result 2 : tensor<4xf32> = 0.8412 -0.0454 nan 0.3457
  %tanh = tgraph.gelu tanh %x : tensor<4xf32>
  %y = tgraph.constant dense<[[1.0, 2.0, 3.0], [1000.0, 0.0, 1000.0]]> : tensor<2x3xf32>
  // CHECK: result 3 : tensor<2x3xf32> = 0.09003 0.2447 0.6652 0.5 0 0.5
  %softmax = tgraph.softmax %y dim 1 : tensor<2x3xf32>
  // CHECK: result 4 : tensor<2x3xf32> = -2.408 -1.408 -0.4076 -0.6931 -1001 -0.6931
  %log = tgraph.log_softmax %y dim 1 : tensor<2x3xf32>
  %z = tgraph.constant dense<[[1.0, 2.0, 3.0, 4.0], [-1.0, 1.0, -1.0, 1.0]]> : tensor<2x4xf32>
  %s = tgraph.constant dense<[1.0, 2.0, 1.0, 1.0]> : tensor<4xf32>
  %b = tgraph.constant dense<[0.0, 0.0, 0.0, 1.0]> : tensor<4xf32>
  // CHECK: result 5 : tensor<2x4xf32> = -1.342 -0.8944 0.4472 2.342 -1 2 -1 2
  %layer = tgraph.layer_norm %z scale %s : tensor<4xf32> bias %b : tensor<4xf32> dims [1] eps 1.0e-06 : tensor<2x4xf32>
  %w = tgraph.constant dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %scale = tgraph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %bias = tgraph.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %mean = tgraph.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %variance = tgraph.constant dense<[4.0, 1.0]> : tensor<2xf32>
  // CHECK: result 6 : tensor<1x2x2xf32> = 0 0.5 1 3
  %batch = tgraph.batch_norm %w, %scale, %bias, %mean, %variance eps 0.0 : tensor<1x2x2xf32>, tensor<2xf32>
  return %relu, %erf, %tanh, %softmax, %log, %layer, %batch
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x4xf32>, tensor<1x2x2xf32>
}
