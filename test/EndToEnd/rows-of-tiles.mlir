// REQUIRES: compiler
// Functions of tall tiles in loops over their rows, behind a product whose result is transposed and whose tiles end in
// the midst of blocks, and behind windows with a total beside.
// RUN: tensor-run %s --no-cache --quiet --compare=interpreter | FileCheck %s
// RUN: tensor-run %s --no-cache --quiet --target=host:x86-64-v3 --compare=interpreter | FileCheck %s
// CHECK: compare  y with interpreter: {{.*}}: ok
// CHECK: compare  z with interpreter: {{.*}}: ok
// CHECK: compare  t with interpreter: {{.*}}: ok
// RUN: tensor-compile %s --target=host:x86-64-v4 --option=threads=1 --to=code | FileCheck %s --check-prefix=CODE
// CODE: llvm.func internal @contract_{{.*}}.program(
// CODE: llvm.alloca
// CODE: llvm.func internal @conv_{{.*}}.program(
// CODE: llvm.alloca
func.func @main(%x: tensor<190x96xf32> {tgraph.name = "x"}, %w: tensor<96x130xf32> {tgraph.name = "w"}, %b: tensor<130xf32> {tgraph.name = "b"},
                %u: tensor<1x24x28x28xf32> {tgraph.name = "u"}, %f: tensor<24x1x3x3xf32> {tgraph.name = "f"})
    -> (tensor<130x190xf32> {tgraph.name = "y"}, tensor<1x24x28x28xf32> {tgraph.name = "z"}, tensor<1x24xf32> {tgraph.name = "t"}) {
  %0 = tgraph.contract "mk,kn->mn" %x, %w : tensor<190x96xf32>, tensor<96x130xf32> -> tensor<190x130xf32>
  %1 = tgraph.reshape %b : tensor<130xf32> -> tensor<1x130xf32>
  %2 = tgraph.expand %1 : tensor<1x130xf32> -> tensor<190x130xf32>
  %3 = tgraph.add %0, %2 : tensor<190x130xf32>
  %4 = tgraph.gelu erf %3 : tensor<190x130xf32>
  %5 = tgraph.permute %4 [1, 0] : tensor<190x130xf32> -> tensor<130x190xf32>
  %6 = tgraph.conv %u, %f strides [1, 1] dilations [1, 1] pad_low [1, 1] pad_high [1, 1] groups 24
       : tensor<1x24x28x28xf32>, tensor<24x1x3x3xf32> -> tensor<1x24x28x28xf32>
  %7 = tgraph.sigmoid %6 : tensor<1x24x28x28xf32>
  %8 = tgraph.mul %6, %7 : tensor<1x24x28x28xf32>
  %9 = tgraph.reduce add %8 dims [2, 3] : tensor<1x24x28x28xf32> -> tensor<1x24xf32>
  return %5, %8, %9 : tensor<130x190xf32>, tensor<1x24x28x28xf32>, tensor<1x24xf32>
}
