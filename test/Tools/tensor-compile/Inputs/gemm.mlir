func.func @main(%x: tensor<4x16xf32> {tgraph.name = "x"}, %b: tensor<20xf32> {tgraph.name = "b"}) -> (tensor<4x20xf32> {tgraph.name = "y"}) {
  %w = tgraph.constant dense<0.5> : tensor<16x20xf32>
  %0 = tgraph.contract "mk,kn->mn" %x, %w : tensor<4x16xf32>, tensor<16x20xf32> -> tensor<4x20xf32>
  %1 = tgraph.reshape %b : tensor<20xf32> -> tensor<1x20xf32>
  %2 = tgraph.expand %1 : tensor<1x20xf32> -> tensor<4x20xf32>
  %3 = tgraph.add %0, %2 : tensor<4x20xf32>
  %4 = tgraph.relu %3 : tensor<4x20xf32>
  return %4 : tensor<4x20xf32>
}
