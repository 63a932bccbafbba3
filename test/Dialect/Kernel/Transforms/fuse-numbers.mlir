// What fusion makes computes the same numbers: the graph and the fused kernels are interpreted on the
// same integers, where sums are exact.
// RUN: tensor-opt %s --graph-decompose --interpret="integers=true elements=100000" -o %t.mlir > %t.graph
// RUN: tensor-opt %s --graph-decompose --graph-to-view --view-to-kernel --interpret="integers=true elements=100000" -o %t.mlir > %t.formed
// RUN: tensor-opt %s --graph-decompose --graph-to-view --view-to-kernel --kernel-fuse --kernel-verify --interpret="integers=true elements=100000" -o %t.mlir > %t.fused
// RUN: diff %t.graph %t.formed
// RUN: diff %t.graph %t.fused
// RUN: FileCheck %s < %t.graph
// CHECK-COUNT-11: result {{[0-9]+}} : tensor

func.func @main(%x: tensor<1x6x8x8xf32>, %w: tensor<6x2x3x3xf32>, %t: tensor<9x4xf32>, %i: tensor<5xi64>,
    %u: tensor<3x4xui8>, %m: tensor<6x4xf32>) -> (tensor<1x6x4x4xf32>, tensor<1x6x11x9xf32>, tensor<2x12xf32>,
    tensor<5x4xf32>, tensor<4x3xui8>, tensor<16x2xf32>, tensor<6x8xf32>, tensor<6xi64>, tensor<4x6xf32>,
    tensor<4xf32>, tensor<12x2xf32>) {
  // Grouped conv, relu, skip, then a pool that pads.
  %c = tgraph.conv %x, %w strides [1, 1] dilations [1, 1] pad_low [1, 1] pad_high [1, 1] groups 3
      : tensor<1x6x8x8xf32>, tensor<6x2x3x3xf32> -> tensor<1x6x8x8xf32>
  %cr = tgraph.relu %c : tensor<1x6x8x8xf32>
  %cs = tgraph.add %cr, %x : tensor<1x6x8x8xf32>
  %r0 = tgraph.window max %cs window [1, 1, 3, 3] strides [1, 1, 2, 2] dilations [1, 1, 1, 1]
      pad_low [0, 0, 1, 1] pad_high [0, 0, 0, 0] : tensor<1x6x8x8xf32> -> tensor<1x6x4x4xf32>

  // A padded and flipped source under a conv that pads again.
  %p = tgraph.pad %x low [0, 0, 1, 0] high [0, 0, 2, 1] value 2.0 : f32 : tensor<1x6x8x8xf32> -> tensor<1x6x11x9xf32>
  %pf = tgraph.flip %p dims [2, 3] : tensor<1x6x11x9xf32>
  %r1 = tgraph.conv %pf, %w strides [1, 1] dilations [1, 1] pad_low [1, 1] pad_high [1, 1] groups 3
      : tensor<1x6x11x9xf32>, tensor<6x2x3x3xf32> -> tensor<1x6x11x9xf32>

  // Heads merged after a contraction.
  %hs = tgraph.slice %x offsets [0, 0, 0, 0] sizes [1, 6, 8, 1] strides [1, 1, 1, 1] : tensor<1x6x8x8xf32> -> tensor<1x6x8x1xf32>
  %hx = tgraph.reshape %hs : tensor<1x6x8x1xf32> -> tensor<48xf32>
  %h = tgraph.reshape %m : tensor<6x4xf32> -> tensor<3x2x4xf32>
  %h4 = tgraph.reshape %hx : tensor<48xf32> -> tensor<3x4x4xf32>
  %ho = tgraph.contract "hmk,hnk->hmn" %h, %h4 : tensor<3x2x4xf32>, tensor<3x4x4xf32> -> tensor<3x2x4xf32>
  %hp = tgraph.permute %ho [1, 0, 2] : tensor<3x2x4xf32> -> tensor<2x3x4xf32>
  %hr = tgraph.reshape %hp : tensor<2x3x4xf32> -> tensor<2x12xf32>
  %r2 = tgraph.neg %hr : tensor<2x12xf32>

  // Rows by index, some of them out of range, from a table that is a view.
  %tp = tgraph.slice %t offsets [1, 0] sizes [4, 4] strides [2, 1] : tensor<9x4xf32> -> tensor<4x4xf32>
  %g = tgraph.gather %tp, %i {axis = 0 : i64} : tensor<4x4xf32>, tensor<5xi64> -> tensor<5x4xf32>
  %r3 = tgraph.abs %g : tensor<5x4xf32>

  // Unsigned elements through a view with a fill.
  %ua = tgraph.mul %u, %u : tensor<3x4xui8>
  %up = tgraph.permute %ua [1, 0] : tensor<3x4xui8> -> tensor<4x3xui8>
  %uc = tgraph.constant dense<200> : tensor<4x3xui8>
  %r4 = tgraph.sub %up, %uc : tensor<4x3xui8>

  // A pad, permute and reshape that divides, over a computed value.
  %mn = tgraph.neg %m : tensor<6x4xf32>
  %mp = tgraph.pad %mn low [1, 0] high [1, 0] value 3.0 : f32 : tensor<6x4xf32> -> tensor<8x4xf32>
  %mt = tgraph.permute %mp [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %r5 = tgraph.reshape %mt : tensor<4x8xf32> -> tensor<16x2xf32>

  // Concatenation of computed parts.
  %ma = tgraph.abs %m : tensor<6x4xf32>
  %r6 = tgraph.concat %mn, %ma dim 1 : tensor<6x4xf32>, tensor<6x4xf32> -> tensor<6x8xf32>

  // Where the greatest is, and a running sum, with what comes after.
  %ar = tgraph.arg_reduce max %ma dim 1 : tensor<6x4xf32> -> tensor<6xi64>
  %r7 = tgraph.neg %ar : tensor<6xi64>
  %sc = tgraph.scan add %m dim 0 {reverse} : tensor<6x4xf32>
  %st = tgraph.permute %sc [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %r8 = tgraph.neg %st : tensor<4x6xf32>

  // A mean's parts, read by what is reduced again.
  %s1 = tgraph.reduce add %m dims [0] : tensor<6x4xf32> -> tensor<4xf32>
  %s2 = tgraph.reshape %s1 : tensor<4xf32> -> tensor<1x4xf32>
  %s3 = tgraph.expand %s2 : tensor<1x4xf32> -> tensor<6x4xf32>
  %s4 = tgraph.sub %m, %s3 : tensor<6x4xf32>
  %s5 = tgraph.mul %s4, %s4 : tensor<6x4xf32>
  %r9 = tgraph.reduce max %s5 dims [0] : tensor<6x4xf32> -> tensor<4xf32>

  // A contraction of what is reshaped so that strides do not divide.
  %k1 = tgraph.reshape %m : tensor<6x4xf32> -> tensor<8x3xf32>
  %k2 = tgraph.contract "ak,bk->ab" %k1, %k1 : tensor<8x3xf32>, tensor<8x3xf32> -> tensor<8x8xf32>
  %k3 = tgraph.slice %k2 offsets [0, 1] sizes [8, 3] strides [1, 2] : tensor<8x8xf32> -> tensor<8x3xf32>
  %r10 = tgraph.reshape %k3 : tensor<8x3xf32> -> tensor<12x2xf32>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10 : tensor<1x6x4x4xf32>, tensor<1x6x11x9xf32>,
      tensor<2x12xf32>, tensor<5x4xf32>, tensor<4x3xui8>, tensor<16x2xf32>, tensor<6x8xf32>, tensor<6xi64>,
      tensor<4x6xf32>, tensor<4xf32>, tensor<12x2xf32>
}
