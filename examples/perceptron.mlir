// Two dense layers and a softmax: 4 rows of 8 features become probabilities of 3 classes.
func.func @main(%x: tensor<4x8xf32> {tgraph.name = "x"}, %w0: tensor<8x16xf32> {tgraph.name = "w0"},
                %w1: tensor<16x3xf32> {tgraph.name = "w1"}) -> (tensor<4x3xf32> {tgraph.name = "y"}) {
  %0 = tgraph.contract "mk,kn->mn" %x, %w0 : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %1 = tgraph.relu %0 : tensor<4x16xf32>
  %2 = tgraph.contract "mk,kn->mn" %1, %w1 : tensor<4x16xf32>, tensor<16x3xf32> -> tensor<4x3xf32>
  %3 = tgraph.softmax %2 dim 1 : tensor<4x3xf32>
  return %3 : tensor<4x3xf32>
}
