// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --kernel-schedule --kernel-to-launch --kernel-to-tile --interpret -o /dev/null \
// RUN:   | FileCheck %s

func.func @main() -> (tensor<3x2xi32>, tensor<6xi32>, tensor<2x3x2xi32>, tensor<3x5xi32>, tensor<2x2xi32>, tensor<2x3xi32>,
    tensor<2x4xi32>, tensor<2x2xi32>, tensor<2xi1>) {
  %x = tgraph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  // CHECK: result 0 : tensor<3x2xi32> = 1 4 2 5 3 6
  %permute = tgraph.permute %x [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  // CHECK: result 1 : tensor<6xi32> = 1 4 2 5 3 6
  %reshape = tgraph.reshape %permute : tensor<3x2xi32> -> tensor<6xi32>
  %narrow = tgraph.reshape %x : tensor<2x3xi32> -> tensor<2x3x1xi32>
  // CHECK: result 2 : tensor<2x3x2xi32> = 1 1 2 2 3 3 4 4 5 5 6 6
  %expand = tgraph.expand %narrow : tensor<2x3x1xi32> -> tensor<2x3x2xi32>
  // CHECK: result 3 : tensor<3x5xi32> = 9 9 9 9 9 9 1 2 3 9 9 4 5 6 9
  %pad = tgraph.pad %x low [1, 1] high [0, 1] value 9 : i32 : tensor<2x3xi32> -> tensor<3x5xi32>
  // CHECK: result 4 : tensor<2x2xi32> = 1 3 4 6
  %slice = tgraph.slice %x offsets [0, 0] sizes [2, 2] strides [1, 2] : tensor<2x3xi32> -> tensor<2x2xi32>
  // CHECK: result 5 : tensor<2x3xi32> = 6 5 4 3 2 1
  %flip = tgraph.flip %x dims [0, 1] : tensor<2x3xi32>
  %y = tgraph.constant dense<[[7], [8]]> : tensor<2x1xi32>
  // CHECK: result 6 : tensor<2x4xi32> = 1 2 3 7 4 5 6 8
  %concat = tgraph.concat %x, %y dim 1 : tensor<2x3xi32>, tensor<2x1xi32> -> tensor<2x4xi32>
  // CHECK: result 7 : tensor<2x2xi32> = 0 1 0 1
  %iota = tgraph.iota dim 1 : tensor<2x2xi32>
  %bool = tgraph.constant dense<[true, false]> : tensor<2xi1>
  // CHECK: result 8 : tensor<2xi1> = 0 1
  %boolflip = tgraph.flip %bool dims [0] : tensor<2xi1>
  return %permute, %reshape, %expand, %pad, %slice, %flip, %concat, %iota, %boolflip
      : tensor<3x2xi32>, tensor<6xi32>, tensor<2x3x2xi32>, tensor<3x5xi32>, tensor<2x2xi32>, tensor<2x3xi32>,
    tensor<2x4xi32>, tensor<2x2xi32>, tensor<2xi1>
}
