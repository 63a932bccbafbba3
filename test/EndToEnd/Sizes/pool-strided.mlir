func.func @main(%a: tensor<?x4x?x9xf32, #tgraph.dims<[B, 4, H, 9]>> {tgraph.name = "a"}) -> (tensor<?x4x?x5xf32, #tgraph.dims<[B, 4, ((H + 1) floordiv 2), 5]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 4, step = 1>, H = #tgraph.symbol<min = 0, max = 20, step = 1>}} {
  %y = tgraph.window max %a window [1, 1, 3, 3] strides [1, 1, 2, 2] dilations [1, 1, 1, 1] pad_low [0, 0, 1, 1] pad_high [0, 0, 1, 1] : tensor<?x4x?x9xf32, #tgraph.dims<[B, 4, H, 9]>> -> tensor<?x4x?x5xf32, #tgraph.dims<[B, 4, ((H + 1) floordiv 2), 5]>>
  return %y : tensor<?x4x?x5xf32, #tgraph.dims<[B, 4, ((H + 1) floordiv 2), 5]>>
}
