// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --kernel-schedule --kernel-to-launch --kernel-to-tile --interpret -o /dev/null \
// RUN:   | FileCheck %s

func.func @main() -> (tensor<2xf32>, tensor<3xf32>, tensor<f32>, tensor<2xf32>, tensor<2xi8>, tensor<i1>, tensor<i1>, tensor<2xi64>, tensor<2xi64>,
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<2xi8>, tensor<3xf32>, tensor<3xf32>, tensor<2x2xi8>) {
  %x = tgraph.constant dense<[[1.0, 5.0, 3.0], [4.0, -2.0, 4.0]]> : tensor<2x3xf32>
  // CHECK: result 0 : tensor<2xf32> = 9 6
  %add = tgraph.reduce add %x dims [1] : tensor<2x3xf32> -> tensor<2xf32>
  // CHECK: result 1 : tensor<3xf32> = 4 -10 12
  %mul = tgraph.reduce mul %x dims [0] : tensor<2x3xf32> -> tensor<3xf32>
  // CHECK: result 2 : tensor<f32> = 5
  %max = tgraph.reduce max %x dims [0, 1] : tensor<2x3xf32> -> tensor<f32>
  %n = tgraph.constant dense<[[1.0, 0x7FC00000, 3.0], [4.0, -2.0, 4.0]]> : tensor<2x3xf32>
  // CHECK: result 3 : tensor<2xf32> = nan -2
  %min = tgraph.reduce min %n dims [1] : tensor<2x3xf32> -> tensor<2xf32>
  %i = tgraph.constant dense<[[100, 100], [-128, -1]]> : tensor<2x2xi8>
  // CHECK: result 4 : tensor<2xi8> = -56 127
  %iadd = tgraph.reduce add %i dims [1] : tensor<2x2xi8> -> tensor<2xi8>
  %b = tgraph.constant dense<[true, false, true]> : tensor<3xi1>
  // CHECK: result 5 : tensor<i1> = 0
  %all = tgraph.reduce all %b dims [0] : tensor<3xi1> -> tensor<i1>
  // CHECK: result 6 : tensor<i1> = 1
  %any = tgraph.reduce any %b dims [0] : tensor<3xi1> -> tensor<i1>
  // The first index wins, NaN wins over all.
  // CHECK: result 7 : tensor<2xi64> = 1 0
  %argmax = tgraph.arg_reduce max %x dim 1 : tensor<2x3xf32> -> tensor<2xi64>
  // CHECK: result 8 : tensor<2xi64> = 1 1
  %argmin = tgraph.arg_reduce min %n dim 1 : tensor<2x3xf32> -> tensor<2xi64>
  // CHECK: result 9 : tensor<2x3xf32> = 1 6 9 4 2 6
  %scan = tgraph.scan add %x dim 1 : tensor<2x3xf32>
  // CHECK: result 10 : tensor<2x3xf32> = 8 3 0 2 4 0
  %reverse = tgraph.scan add %x dim 1 {exclusive, reverse} : tensor<2x3xf32>
  // CHECK: result 11 : tensor<2x3xf32> = -inf 1 5 -inf 4 4
  %scanmax = tgraph.scan max %x dim 1 {exclusive} : tensor<2x3xf32>
  // CHECK: result 12 : tensor<2x2xf32> = 1 5 4 4
  %window = tgraph.window max %x window [1, 2] strides [1, 2] dilations [1, 1] pad_low [0, 1] pad_high [0, 0]
      : tensor<2x3xf32> -> tensor<2x2xf32>
  // Dilation 2: columns 0 and 2, with padding on both sides.
  // CHECK: result 13 : tensor<2x3xf32> = 5 4 5 -2 8 -2
  %sum = tgraph.window add %x window [1, 2] strides [1, 1] dilations [1, 2] pad_low [0, 1] pad_high [0, 1]
      : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: result 14 : tensor<2xi8> = 100 -1
  %imax = tgraph.reduce max %i dims [1] : tensor<2x2xi8> -> tensor<2xi8>
  // The recurrence h = a * h + b.
  %a = tgraph.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %bb = tgraph.constant dense<[1.0, 0.0, 1.0]> : tensor<3xf32>
  // CHECK: result 15 : tensor<3xf32> = 1 1 2
  // CHECK: result 16 : tensor<3xf32> = 1 1 3
  %p:2 = tgraph.associative_scan %a, %bb dim 0 : tensor<3xf32>, tensor<3xf32> {
  ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<f32>, %b1: tensor<f32>):
    %q = tgraph.mul %a1, %a0 : tensor<f32>
    %r = tgraph.mul %a1, %b0 : tensor<f32>
    %s = tgraph.add %r, %b1 : tensor<f32>
    tgraph.yield %q, %s : tensor<f32>, tensor<f32>
  }
  // From the end, what is behind comes first.
  // CHECK: result 17 : tensor<2x2xi8> = 99 100 -128 -1
  %last = tgraph.associative_scan %i dim 1 reverse : tensor<2x2xi8> {
  ^bb0(%u: tensor<i8>, %v: tensor<i8>):
    %one = tgraph.constant dense<1> : tensor<i8>
    %w = tgraph.sub %v, %one : tensor<i8>
    %isSmall = tgraph.compare lt, %u, %one : tensor<i8>
    %t = tgraph.select %isSmall, %v, %w : tensor<i8>
    tgraph.yield %t : tensor<i8>
  }
  return %add, %mul, %max, %min, %iadd, %all, %any, %argmax, %argmin, %scan, %reverse, %scanmax, %window, %sum, %imax, %p#0, %p#1, %last
      : tensor<2xf32>, tensor<3xf32>, tensor<f32>, tensor<2xf32>, tensor<2xi8>, tensor<i1>, tensor<i1>, tensor<2xi64>, tensor<2xi64>,
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<2xi8>, tensor<3xf32>, tensor<3xf32>, tensor<2x2xi8>
}
