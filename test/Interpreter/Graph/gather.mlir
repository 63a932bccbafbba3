// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --kernel-schedule --kernel-to-launch --kernel-to-tile --interpret -o /dev/null \
// RUN:   | FileCheck %s

func.func @main() -> (tensor<3x2xi32>, tensor<2x2xi32>, tensor<2xi32>, tensor<3x2xi32>) {
  %x = tgraph.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  // Outside, the result is 0: negative indices do not count from the end.
  %i = tgraph.constant dense<[2, -1, 3]> : tensor<3xi64>
  // CHECK: result 0 : tensor<3x2xi32> = 5 6 0 0 0 0
  %rows = tgraph.gather %x, %i {axis = 0 : i64} : tensor<3x2xi32>, tensor<3xi64> -> tensor<3x2xi32>
  // Two index tensors name points.
  %r = tgraph.constant dense<[[0, 1], [2, 2]]> : tensor<2x2xi32>
  %c = tgraph.constant dense<[[1, 0], [1, 2]]> : tensor<2x2xi32>
  // CHECK: result 1 : tensor<2x2xi32> = 2 3 6 0
  %points = tgraph.gather %x, %r, %c {axis = 0 : i64} : tensor<3x2xi32>, tensor<2x2xi32>, tensor<2x2xi32> -> tensor<2x2xi32>
  %y = tgraph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %j = tgraph.constant dense<[2, 0]> : tensor<2xi64>
  // CHECK: result 2 : tensor<2xi32> = 3 4
  %batch = tgraph.gather %y, %j {axis = 1 : i64, batch_dims = 1 : i64} : tensor<2x3xi32>, tensor<2xi64> -> tensor<2xi32>
  %k = tgraph.constant dense<[1, 1]> : tensor<2xi64>
  // CHECK: result 3 : tensor<3x2xi32> = 2 2 4 4 6 6
  %columns = tgraph.gather %x, %k {axis = 1 : i64} : tensor<3x2xi32>, tensor<2xi64> -> tensor<3x2xi32>
  return %rows, %points, %batch, %columns : tensor<3x2xi32>, tensor<2x2xi32>, tensor<2xi32>, tensor<3x2xi32>
}
