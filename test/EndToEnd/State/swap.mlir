// State that needs the old values after new ones are there: results change places, and what was updated is read as
// it was before.
// RUN: tensor-run %s --steps=5 --compare=interpreter | FileCheck %s
// CHECK-COUNT-4: compare {{.*}}: ok
func.func @main(%a: tensor<8x4xf32> {tgraph.name = "a", tgraph.alias = 0 : i64}, %b: tensor<8x4xf32> {tgraph.name = "b", tgraph.alias = 1 : i64},
    %c: tensor<8x4xf32> {tgraph.name = "c", tgraph.alias = 2 : i64}, %u: tensor<2x4xf32> {tgraph.name = "u"})
    -> (tensor<8x4xf32> {tgraph.name = "a1"}, tensor<8x4xf32> {tgraph.name = "b1"}, tensor<8x4xf32> {tgraph.name = "c1"}, tensor<4xf32> {tgraph.name = "y"}) {
  %sum = tgraph.add %a, %b : tensor<8x4xf32>
  %b1 = tgraph.sin %sum : tensor<8x4xf32>
  %part = tgraph.update_slice %c, %u at <[3, 0]> : tensor<8x4xf32>, tensor<2x4xf32> -> tensor<8x4xf32>
  %c1 = tgraph.update_slice %part, %u at <[7, 0]> : tensor<8x4xf32>, tensor<2x4xf32> -> tensor<8x4xf32>
  %old = tgraph.mul %c, %part : tensor<8x4xf32>
  %y = tgraph.reduce add %old dims [0] : tensor<8x4xf32> -> tensor<4xf32>
  return %b, %b1, %c1, %y : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<4xf32>
}
