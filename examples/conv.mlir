// A convolution with a bias and a relu, as a model has it.
func.func @main(%x: tensor<1x3x8x8xf32> {tgraph.name = "x"}, %w: tensor<4x3x3x3xf32> {tgraph.name = "w"},
                %b: tensor<4xf32> {tgraph.name = "b"}) -> (tensor<1x4x8x8xf32> {tgraph.name = "y"}) {
  %0 = tgraph.conv %x, %w strides [1, 1] dilations [1, 1] pad_low [1, 1] pad_high [1, 1] groups 1
       : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x8x8xf32>
  %1 = tgraph.reshape %b : tensor<4xf32> -> tensor<1x4x1x1xf32>
  %2 = tgraph.expand %1 : tensor<1x4x1x1xf32> -> tensor<1x4x8x8xf32>
  %3 = tgraph.add %0, %2 : tensor<1x4x8x8xf32>
  %4 = tgraph.relu %3 : tensor<1x4x8x8xf32>
  return %4 : tensor<1x4x8x8xf32>
}
