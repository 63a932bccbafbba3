// Of what a convolution reads an operand may have no axis that is summed over, when sums are taken in parts.
// RUN: tensor-compile %s --target=host:x86-64-v3 -o %t.twm
// RUN: tensor-run %s --no-cache --compare=interpreter | FileCheck %s
// CHECK: compare {{.*}}: ok
func.func @main(%a: tensor<5xf32>, %b: tensor<2x2x5xf32>) -> tensor<5x2x1xf32> {
  %0 = tgraph.contract "a,xyz->axy" %a, %b : tensor<5xf32>, tensor<2x2x5xf32> -> tensor<5x2x2xf32>
  %1 = tgraph.window max %0 window [1, 1, 3] strides [1, 2, 2] dilations [1, 2, 1] pad_low [0, 1, 0] pad_high [0, 0, 1] : tensor<5x2x2xf32> -> tensor<5x2x1xf32>
  return %1 : tensor<5x2x1xf32>
}
