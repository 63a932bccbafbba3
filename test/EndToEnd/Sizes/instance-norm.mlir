func.func @main(%a: tensor<3x?x?xf32, #tgraph.dims<[3, H, 2 * W + 1]>> {tgraph.name = "a"}) -> (tensor<3x?x?xf32, #tgraph.dims<[3, H, 2 * W + 1]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {H = #tgraph.symbol<min = 1, max = 40, step = 1>, W = #tgraph.symbol<min = 0, max = 33, step = 1>}} {
  %y = tgraph.layer_norm %a dims [1, 2] eps 1.0e-05 : tensor<3x?x?xf32, #tgraph.dims<[3, H, 2 * W + 1]>>
  return %y : tensor<3x?x?xf32, #tgraph.dims<[3, H, 2 * W + 1]>>
}
