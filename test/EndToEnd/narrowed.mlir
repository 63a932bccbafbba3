// Of a convolution that two others read at every other pixel, and of what that reads, those are
// computed; of the block behind an attention one token.
// REQUIRES: compiler
// RUN: tensor-run %s --no-cache --compare=interpreter --check-every-kernel | FileCheck %s
// RUN: tensor-compile %s --target=host:x86-64-v3 --to=schedule | FileCheck %s --check-prefix=KERNELS
// CHECK-COUNT-3: : ok
// CHECK: launches checked, 0 differ
// KERNELS: @conv_relu ({{.*}}) -> tensor<1x8x7x7xf32>
// KERNELS: @contract ({{.*}}) -> tensor<2x1x9xf32>
// KERNELS-NOT: 2x9x16xf32> attributes
func.func @main(%x: tensor<1x4x14x14xf32> {tgraph.name = "x"}, %w: tensor<8x4x1x1xf32> {tgraph.name = "w"},
                %u: tensor<4x8x1x1xf32> {tgraph.name = "u"}, %v: tensor<6x8x1x1xf32> {tgraph.name = "v"},
                %t: tensor<2x9x16xf32> {tgraph.name = "t"}, %m: tensor<16x16xf32> {tgraph.name = "m"})
    -> (tensor<1x4x7x7xf32> {tgraph.name = "a"}, tensor<1x6x7x7xf32> {tgraph.name = "b"}, tensor<2x16xf32> {tgraph.name = "c"}) {
  %0 = tgraph.conv %x, %w strides [1, 1] dilations [1, 1] pad_low [0, 0] pad_high [0, 0] groups 1 : tensor<1x4x14x14xf32>, tensor<8x4x1x1xf32> -> tensor<1x8x14x14xf32>
  %1 = tgraph.relu %0 : tensor<1x8x14x14xf32>
  %2 = tgraph.conv %1, %u strides [2, 2] dilations [1, 1] pad_low [0, 0] pad_high [0, 0] groups 1 : tensor<1x8x14x14xf32>, tensor<4x8x1x1xf32> -> tensor<1x4x7x7xf32>
  %3 = tgraph.conv %1, %v strides [2, 2] dilations [1, 1] pad_low [0, 0] pad_high [0, 0] groups 1 : tensor<1x8x14x14xf32>, tensor<6x8x1x1xf32> -> tensor<1x6x7x7xf32>
  %k = tgraph.contract "bsk,kn->bsn" %t, %m : tensor<2x9x16xf32>, tensor<16x16xf32> -> tensor<2x9x16xf32>
  %q = tgraph.contract "bik,bjk->bij" %k, %t : tensor<2x9x16xf32>, tensor<2x9x16xf32> -> tensor<2x9x9xf32>
  %p = tgraph.softmax %q dim 2 : tensor<2x9x9xf32>
  %o = tgraph.contract "bij,bjk->bik" %p, %t : tensor<2x9x9xf32>, tensor<2x9x16xf32> -> tensor<2x9x16xf32>
  %f = tgraph.reshape %o : tensor<2x9x16xf32> -> tensor<18x16xf32>
  %g = tgraph.contract "mk,kn->mn" %f, %m : tensor<18x16xf32>, tensor<16x16xf32> -> tensor<18x16xf32>
  %h = tgraph.reshape %g : tensor<18x16xf32> -> tensor<2x9x16xf32>
  %i = tgraph.slice %h offsets [0, 8, 0] sizes [2, 1, 16] strides [1, 1, 1] : tensor<2x9x16xf32> -> tensor<2x1x16xf32>
  %j = tgraph.reshape %i : tensor<2x1x16xf32> -> tensor<2x16xf32>
  return %2, %3, %j : tensor<1x4x7x7xf32>, tensor<1x6x7x7xf32>, tensor<2x16xf32>
}
