func.func @main(%a: tensor<?x?x6xf32, #tgraph.dims<[B, S, 6]>> {tgraph.name = "a"}) -> (tensor<6x?x?xf32, #tgraph.dims<[6, S, B]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 9, step = 1>, S = #tgraph.symbol<min = 0, max = 40, step = 1>}} {
  %y = tgraph.permute %a [2, 1, 0] : tensor<?x?x6xf32, #tgraph.dims<[B, S, 6]>> -> tensor<6x?x?xf32, #tgraph.dims<[6, S, B]>>
  return %y : tensor<6x?x?xf32, #tgraph.dims<[6, S, B]>>
}
