func.func @main(%a: tensor<?x3x12x11xf32, #tgraph.dims<[B, 3, 12, 11]>> {tgraph.name = "a"}, %w: tensor<8x3x3x3xf32> {tgraph.name = "w"}) -> (tensor<?x8x12x11xf32, #tgraph.dims<[B, 8, 12, 11]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 5, step = 1>}} {
  %y = tgraph.conv %a, %w strides [1, 1] dilations [1, 1] pad_low [1, 1] pad_high [1, 1] groups 1 : tensor<?x3x12x11xf32, #tgraph.dims<[B, 3, 12, 11]>>, tensor<8x3x3x3xf32> -> tensor<?x8x12x11xf32, #tgraph.dims<[B, 8, 12, 11]>>
  return %y : tensor<?x8x12x11xf32, #tgraph.dims<[B, 8, 12, 11]>>
}
