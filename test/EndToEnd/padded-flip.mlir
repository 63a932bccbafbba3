// A padding beside what is reversed: where its guard says no more than the memory's extents do, these are asked
// of the coordinates that are left, which lie before the beginning there.
// RUN: tensor-run %s --compare=interpreter --quiet --target=host:x86-64-v3 --option=threads=1
// RUN: tensor-run %s --compare=interpreter --quiet
func.func @main(%x: tensor<12x11x11xf32> {tgraph.name = "x"}) -> (tensor<2xf32> {tgraph.name = "y"}) {
  %flipped = tgraph.flip %x dims [0] : tensor<12x11x11xf32>
  %flat = tgraph.reshape %flipped : tensor<12x11x11xf32> -> tensor<2x726xf32>
  %padded = tgraph.pad %flat low [0, 2] high [0, 1] value 0.0 : f32 : tensor<2x726xf32> -> tensor<2x729xf32>
  %y = tgraph.reduce add %padded dims [1] : tensor<2x729xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}
