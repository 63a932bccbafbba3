// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --kernel-schedule --kernel-to-launch --kernel-to-tile --interpret -o /dev/null \
// RUN:   | FileCheck %s

func.func @main() -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2x2xi8>, tensor<2x2xi1>, tensor<1x2x2x2xf32>, tensor<1x2x3xf32>, tensor<1x1x2xf64>, tensor<1x1x3xf32>, tensor<2xf32>) {
  %a = tgraph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = tgraph.constant dense<[[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]> : tensor<3x2xf32>
  // CHECK: result 0 : tensor<2x2xf32> = 7 8 16 17
  %matmul = tgraph.contract "mk,kn->mn" %a, %b : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>
  // A letter of one operand alone is summed too: (1 + 2 + 3) * (1 + 0 + 2), (4 + 5 + 6) * (0 + 1 + 2).
  // CHECK: result 1 : tensor<2xf32> = 18 45
  %alone = tgraph.contract "mk,jm->m" %a, %b : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2xf32>
  %i = tgraph.constant dense<[[100, 3], [1, 1]]> : tensor<2x2xi8>
  // Integers wrap: 10003 = 39 * 256 + 19.
  // CHECK: result 2 : tensor<2x2xi8> = 19 47 101 4
  %integers = tgraph.contract "mk,kn->mn" %i, %i : tensor<2x2xi8>, tensor<2x2xi8> -> tensor<2x2xi8>
  %p = tgraph.constant dense<[[true, true], [false, false]]> : tensor<2x2xi1>
  %q = tgraph.constant dense<[[true, false], [true, false]]> : tensor<2x2xi1>
  // Bools: or of ands.
  // CHECK: result 3 : tensor<2x2xi1> = 1 0 0 0
  %bools = tgraph.contract "mk,kn->mn" %p, %q : tensor<2x2xi1>, tensor<2x2xi1> -> tensor<2x2xi1>
  %x = tgraph.constant dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]]]> : tensor<1x2x3x3xf32>
  %w = tgraph.constant dense<[[[[1.0, 0.0], [0.0, 1.0]]], [[[1.0, 1.0], [1.0, 1.0]]]]> : tensor<2x1x2x2xf32>
  // Two groups, stride 2, padding before.
  // CHECK: result 4 : tensor<1x2x2x2xf32> = 1 3 7 14 1 2 2 4
  %conv = tgraph.conv %x, %w strides [2, 2] dilations [1, 1] pad_low [1, 1] pad_high [0, 0] groups 2
        : tensor<1x2x3x3xf32>, tensor<2x1x2x2xf32> -> tensor<1x2x2x2xf32>
  %x1 = tgraph.constant dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>
  %w1 = tgraph.constant dense<[[[1.0, 10.0]], [[0.0, 1.0]]]> : tensor<2x1x2xf32>
  // Dilation 2.
  // CHECK: result 5 : tensor<1x2x3xf32> = 31 42 53 3 4 5
  %conv1 = tgraph.conv %x1, %w1 strides [1] dilations [2] pad_low [0] pad_high [0] groups 1
        : tensor<1x1x5xf32>, tensor<2x1x2xf32> -> tensor<1x2x3xf32>
  // Sums are as exact as f64 has them.
  %xd = tgraph.constant dense<[[[1.0, 1.0e-16, -1.0]]]> : tensor<1x1x3xf64>
  %wd = tgraph.constant dense<[[[1.0, 1.0]]]> : tensor<1x1x2xf64>
  // CHECK: result 6 : tensor<1x1x2xf64> = 1 -1
  %convd = tgraph.conv %xd, %wd strides [1] dilations [1] pad_low [0] pad_high [0] groups 1
        : tensor<1x1x3xf64>, tensor<1x1x2xf64> -> tensor<1x1x2xf64>
  // Padding is zeros that are multiplied: 0 * inf + 1, inf + 2, 2 * inf + 0.
  %xp = tgraph.constant dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>
  %wp = tgraph.constant dense<[[[0x7F800000, 1.0]]]> : tensor<1x1x2xf32>
  // CHECK: result 7 : tensor<1x1x3xf32> = nan inf inf
  %convp = tgraph.conv %xp, %wp strides [1] dilations [1] pad_low [1] pad_high [1] groups 1
         : tensor<1x1x2xf32>, tensor<1x1x2xf32> -> tensor<1x1x3xf32>
  // What is summed with nothing keeps the sign of its zero: 1 / (0 * -3).
  %zero = tgraph.constant dense<[0.0, 2.0]> : tensor<2xf32>
  %minus = tgraph.constant dense<[-3.0, 1.0]> : tensor<2xf32>
  %products = tgraph.contract "a,a->a" %zero, %minus : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  // CHECK: result 8 : tensor<2xf32> = -inf 0.5
  %inverse = tgraph.reciprocal %products : tensor<2xf32>
  return %matmul, %alone, %integers, %bools, %conv, %conv1, %convd, %convp, %inverse
    : tensor<2x2xf32>, tensor<2xf32>, tensor<2x2xi8>, tensor<2x2xi1>, tensor<1x2x2x2xf32>, tensor<1x2x3xf32>, tensor<1x1x2xf64>, tensor<1x1x3xf32>, tensor<2xf32>
}
