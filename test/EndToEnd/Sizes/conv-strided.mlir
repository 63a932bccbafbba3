func.func @main(%a: tensor<?x3x?x11xf32, #tgraph.dims<[B, 3, H, 11]>> {tgraph.name = "a"}, %w: tensor<8x3x3x3xf32> {tgraph.name = "w"}, %v: tensor<4x8x2x2xf32> {tgraph.name = "v"}) -> (tensor<?x4x?x2xf32, #tgraph.dims<[B, 4, ((H + 3) floordiv 4) - 1, 2]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 5, step = 1>, H = #tgraph.symbol<min = 6, max = 40, step = 1>}} {
  %c = tgraph.conv %a, %w strides [2, 2] dilations [1, 1] pad_low [0, 0] pad_high [0, 0] groups 1 : tensor<?x3x?x11xf32, #tgraph.dims<[B, 3, H, 11]>>, tensor<8x3x3x3xf32> -> tensor<?x8x?x5xf32, #tgraph.dims<[B, 8, ((H + 1) floordiv 2) - 1, 5]>>
  %r = tgraph.relu %c : tensor<?x8x?x5xf32, #tgraph.dims<[B, 8, ((H + 1) floordiv 2) - 1, 5]>>
  %y = tgraph.conv %r, %v strides [2, 2] dilations [1, 1] pad_low [0, 0] pad_high [0, 0] groups 1 : tensor<?x8x?x5xf32, #tgraph.dims<[B, 8, ((H + 1) floordiv 2) - 1, 5]>>, tensor<4x8x2x2xf32> -> tensor<?x4x?x2xf32, #tgraph.dims<[B, 4, ((H + 3) floordiv 4) - 1, 2]>>
  return %y : tensor<?x4x?x2xf32, #tgraph.dims<[B, 4, ((H + 3) floordiv 4) - 1, 2]>>
}
