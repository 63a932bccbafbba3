func.func @main(%a: tensor<?x?x8xf32, #tgraph.dims<[B, S, 8]>> {tgraph.name = "a"}) -> (tensor<?x?x8xf32, #tgraph.dims<[B, S, 8]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 3, step = 1>, S = #tgraph.symbol<min = 1, max = 50, step = 1>}} {
  %k = tgraph.window max %a window [1, 3, 1] strides [1, 3, 1] dilations [1, 1, 1] pad_low [0, 0, 0] pad_high [0, 2, 0] : tensor<?x?x8xf32, #tgraph.dims<[B, S, 8]>> -> tensor<?x?x8xf32, #tgraph.dims<[B, ((S + 2) floordiv 3), 8]>>
  %s = tgraph.contract "bid,bjd->bij" %a, %k : tensor<?x?x8xf32, #tgraph.dims<[B, S, 8]>>, tensor<?x?x8xf32, #tgraph.dims<[B, ((S + 2) floordiv 3), 8]>> -> tensor<?x?x?xf32, #tgraph.dims<[B, S, ((S + 2) floordiv 3)]>>
  %p = tgraph.softmax %s dim 2 : tensor<?x?x?xf32, #tgraph.dims<[B, S, ((S + 2) floordiv 3)]>>
  %y = tgraph.contract "bij,bjd->bid" %p, %k : tensor<?x?x?xf32, #tgraph.dims<[B, S, ((S + 2) floordiv 3)]>>, tensor<?x?x8xf32, #tgraph.dims<[B, ((S + 2) floordiv 3), 8]>> -> tensor<?x?x8xf32, #tgraph.dims<[B, S, 8]>>
  return %y : tensor<?x?x8xf32, #tgraph.dims<[B, S, 8]>>
}
