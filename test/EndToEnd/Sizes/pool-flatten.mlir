func.func @main(%a: tensor<?x?x6xf32, #tgraph.dims<[B, H, 6]>> {tgraph.name = "a"}, %w: tensor<6x9xf32> {tgraph.name = "w"}) -> (tensor<?x?x9xf32, #tgraph.dims<[B, ((H + 1) floordiv 2), 9]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 4, step = 1>, H = #tgraph.symbol<min = 0, max = 33, step = 1>}} {
  %p = tgraph.window max %a window [1, 2, 1] strides [1, 2, 1] dilations [1, 1, 1] pad_low [0, 0, 0] pad_high [0, 1, 0] : tensor<?x?x6xf32, #tgraph.dims<[B, H, 6]>> -> tensor<?x?x6xf32, #tgraph.dims<[B, ((H + 1) floordiv 2), 6]>>
  %f = tgraph.reshape %p : tensor<?x?x6xf32, #tgraph.dims<[B, ((H + 1) floordiv 2), 6]>> -> tensor<?x6xf32, #tgraph.dims<[B * ((H + 1) floordiv 2), 6]>>
  %g = tgraph.contract "mk,kn->mn" %f, %w : tensor<?x6xf32, #tgraph.dims<[B * ((H + 1) floordiv 2), 6]>>, tensor<6x9xf32> -> tensor<?x9xf32, #tgraph.dims<[B * ((H + 1) floordiv 2), 9]>>
  %b = tgraph.reshape %g : tensor<?x9xf32, #tgraph.dims<[B * ((H + 1) floordiv 2), 9]>> -> tensor<?x?x9xf32, #tgraph.dims<[B, ((H + 1) floordiv 2), 9]>>
  %y = tgraph.softmax %b dim 1 : tensor<?x?x9xf32, #tgraph.dims<[B, ((H + 1) floordiv 2), 9]>>
  return %y : tensor<?x?x9xf32, #tgraph.dims<[B, ((H + 1) floordiv 2), 9]>>
}
