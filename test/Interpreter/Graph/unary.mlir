// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --kernel-schedule --kernel-to-launch --kernel-to-tile --interpret -o /dev/null \
// RUN:   | FileCheck %s

func.func @main() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
    tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi1>, tensor<8xi1>, tensor<8xf32>,
    tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xui8>, tensor<4xui8>, tensor<2xi1>,
    tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>,
    tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf64>) {
  // 1, -2.5, 0, inf, -inf, NaN, 0.5, 2.5
  %x = tgraph.constant dense<[1.0, -2.5, 0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.5, 2.5]> : tensor<8xf32>
  // CHECK: result 0 : tensor<8xf32> = -1 2.5 0 -inf inf nan -0.5 -2.5
  %neg = tgraph.neg %x : tensor<8xf32>
  // CHECK: result 1 : tensor<8xf32> = 1 2.5 0 inf inf nan 0.5 2.5
  %abs = tgraph.abs %x : tensor<8xf32>
  // CHECK: result 2 : tensor<8xf32> = 1 -1 0 1 -1 nan 1 1
  %sign = tgraph.sign %x : tensor<8xf32>
  // CHECK: result 3 : tensor<8xf32> = 2.718 0.08208 1 inf 0 nan 1.649 12.18
  %exp = tgraph.exp %x : tensor<8xf32>
  // CHECK: result 4 : tensor<8xf32> = 0 nan -inf inf nan nan -0.6931 0.9163
  %log = tgraph.log %x : tensor<8xf32>
  // CHECK: result 5 : tensor<8xf32> = 1 nan 0 inf nan nan 0.7071 1.581
  %sqrt = tgraph.sqrt %x : tensor<8xf32>
  // CHECK: result 6 : tensor<8xf32> = 1 nan inf 0 nan nan 1.414 0.6325
  %rsqrt = tgraph.rsqrt %x : tensor<8xf32>
  // CHECK: result 7 : tensor<8xf32> = 1 -0.4 inf 0 0 nan 2 0.4
  %reciprocal = tgraph.reciprocal %x : tensor<8xf32>
  // CHECK: result 8 : tensor<8xf32> = 1 -2 0 inf -inf nan 0 2
  %round = tgraph.round %x : tensor<8xf32>
  // CHECK: result 9 : tensor<8xi1> = 0 0 0 0 0 1 0 0
  %nan = tgraph.is_nan %x : tensor<8xf32>
  // CHECK: result 10 : tensor<8xi1> = 0 0 0 1 1 0 0 0
  %inf = tgraph.is_inf %x : tensor<8xf32>
  // CHECK: result 11 : tensor<8xf32> = 0.7311 0.07586 0.5 1 0 nan 0.6225 0.9241
  %sigmoid = tgraph.sigmoid %x : tensor<8xf32>

  // The least value is its own negative.
  %i = tgraph.constant dense<[-128, -1, 0, 5]> : tensor<4xi8>
  // CHECK: result 12 : tensor<4xi8> = -128 1 0 -5
  %ineg = tgraph.neg %i : tensor<4xi8>
  // CHECK: result 13 : tensor<4xi8> = -128 1 0 5
  %iabs = tgraph.abs %i : tensor<4xi8>
  // CHECK: result 14 : tensor<4xi8> = -1 -1 0 1
  %isign = tgraph.sign %i : tensor<4xi8>
  // CHECK: result 15 : tensor<4xi8> = 127 0 -1 -6
  %inot = tgraph.not %i : tensor<4xi8>
  %u = tgraph.constant dense<[200, 1, 0, 5]> : tensor<4xui8>
  // CHECK: result 16 : tensor<4xui8> = 200 1 0 5
  %uabs = tgraph.abs %u : tensor<4xui8>
  // CHECK: result 17 : tensor<4xui8> = 1 1 0 1
  %usign = tgraph.sign %u : tensor<4xui8>
  %b = tgraph.constant dense<[true, false]> : tensor<2xi1>
  // CHECK: result 18 : tensor<2xi1> = 0 1
  %bnot = tgraph.not %b : tensor<2xi1>

  %y = tgraph.constant dense<[0.25, -0.5, 1.5, -1.5, 2.0, 1.0]> : tensor<6xf32>
  // CHECK: result 19 : tensor<6xf32> = 0.2449 -0.4621 0.9051 -0.9051 0.964 0.7616
  %tanh = tgraph.tanh %y : tensor<6xf32>
  // CHECK: result 20 : tensor<6xf32> = 0.2763 -0.5205 0.9661 -0.9661 0.9953 0.8427
  %erf = tgraph.erf %y : tensor<6xf32>
  // CHECK: result 21 : tensor<6xf32> = 0 -1 1 -2 2 1
  %floor = tgraph.floor %y : tensor<6xf32>
  // CHECK: result 22 : tensor<6xf32> = 1 0 2 -1 2 1
  %ceil = tgraph.ceil %y : tensor<6xf32>
  // CHECK: result 23 : tensor<6xf32> = 0.2474 -0.4794 0.9975 -0.9975 0.9093 0.8415
  %sin = tgraph.sin %y : tensor<6xf32>
  // CHECK: result 24 : tensor<6xf32> = 0.9689 0.8776 0.07074 0.07074 -0.4161 0.5403
  %cos = tgraph.cos %y : tensor<6xf32>
  // CHECK: result 25 : tensor<6xf32> = 0.2527 -0.5236 nan nan nan 1.571
  %asin = tgraph.asin %y : tensor<6xf32>
  // CHECK: result 26 : tensor<6xf32> = 0.245 -0.4636 0.9828 -0.9828 1.107 0.7854
  %atan = tgraph.atan %y : tensor<6xf32>
  // CHECK: result 27 : tensor<6xf32> = nan nan 0.9624 nan 1.317 0
  %acosh = tgraph.acosh %y : tensor<6xf32>
  // CHECK: result 28 : tensor<6xf32> = 0.2554 -0.5493 nan nan nan inf
  %atanh = tgraph.atanh %y : tensor<6xf32>
  %d = tgraph.constant dense<[0.25, -0.5, 1.5, -1.5, 2.0, 1.0]> : tensor<6xf64>
  // CHECK: result 29 : tensor<6xf64> = 1.284 0.6065 4.482 0.2231 7.389 2.718
  %dexp = tgraph.exp %d : tensor<6xf64>
  return %neg, %abs, %sign, %exp, %log, %sqrt, %rsqrt, %reciprocal, %round, %nan, %inf, %sigmoid,
      %ineg, %iabs, %isign, %inot, %uabs, %usign, %bnot,
      %tanh, %erf, %floor, %ceil, %sin, %cos, %asin, %atan, %acosh, %atanh, %dexp
      : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
    tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi1>, tensor<8xi1>, tensor<8xf32>,
    tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xui8>, tensor<4xui8>, tensor<2xi1>,
    tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>,
    tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf64>
}
