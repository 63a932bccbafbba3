// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --kernel-schedule --kernel-to-launch --kernel-to-tile --interpret -o /dev/null \
// RUN:   | FileCheck %s

func.func @main() -> (tensor<3x2xi32>, tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x3xi32>, tensor<3x2xi32>, tensor<2xbf16>) {
  %x = tgraph.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  // The last of several updates stays; what is outside is dropped.
  %i = tgraph.constant dense<[2, -1, 3, 2]> : tensor<4xi64>
  %u = tgraph.constant dense<[[10, 20], [30, 40], [50, 60], [70, 80]]> : tensor<4x2xi32>
  // CHECK: result 0 : tensor<3x2xi32> = 1 2 3 4 70 80
  %0 = tgraph.scatter %x, %u at %i {axis = 0 : i64} : tensor<3x2xi32>, tensor<4x2xi32> at tensor<4xi64> -> tensor<3x2xi32>
  // CHECK: result 1 : tensor<3x2xi32> = 1 2 3 4 85 106
  %1 = tgraph.scatter add %x, %u at %i {axis = 0 : i64} : tensor<3x2xi32>, tensor<4x2xi32> at tensor<4xi64> -> tensor<3x2xi32>
  // Two index tensors name points.
  %r = tgraph.constant dense<[[0, 1], [2, 0]]> : tensor<2x2xi32>
  %c = tgraph.constant dense<[[1, 0], [1, 1]]> : tensor<2x2xi32>
  %v = tgraph.constant dense<[[10, -20], [30, 40]]> : tensor<2x2xi32>
  // CHECK: result 2 : tensor<3x2xi32> = 1 40 3 4 5 30
  %2 = tgraph.scatter max %x, %v at %r, %c {axis = 0 : i64} : tensor<3x2xi32>, tensor<2x2xi32> at tensor<2x2xi32>, tensor<2x2xi32> -> tensor<3x2xi32>
  %y = tgraph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %j = tgraph.constant dense<[[2, 2], [0, 1]]> : tensor<2x2xi64>
  %w = tgraph.constant dense<[[2, 3], [4, 5]]> : tensor<2x2xi32>
  // CHECK: result 3 : tensor<2x3xi32> = 1 2 18 16 25 6
  %3 = tgraph.scatter mul %y, %w at %j {axis = 1 : i64, batch_dims = 1 : i64} : tensor<2x3xi32>, tensor<2x2xi32> at tensor<2x2xi64> -> tensor<2x3xi32>
  %k = tgraph.constant dense<[1, 1]> : tensor<2xi64>
  %z = tgraph.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  // CHECK: result 4 : tensor<3x2xi32> = 1 5 3 11 5 17
  %4 = tgraph.scatter add %x, %z at %k {axis = 1 : i64} : tensor<3x2xi32>, tensor<3x2xi32> at tensor<2xi64> -> tensor<3x2xi32>
  // Each sum is rounded: 256 + 1 is 256 in bf16.
  %h = tgraph.constant dense<[256.0, 0.0]> : tensor<2xbf16>
  %ones = tgraph.constant dense<1.0> : tensor<4xbf16>
  %l = tgraph.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
  // CHECK: result 5 : tensor<2xbf16> = 256 2
  %5 = tgraph.scatter add %h, %ones at %l {axis = 0 : i64} : tensor<2xbf16>, tensor<4xbf16> at tensor<4xi64> -> tensor<2xbf16>
  return %0, %1, %2, %3, %4, %5 : tensor<3x2xi32>, tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x3xi32>, tensor<3x2xi32>, tensor<2xbf16>
}
