func.func @main(%a: tensor<?x?x6xf32, #tgraph.dims<[B, S, 6]>> {tgraph.name = "a"}) -> (tensor<?x3x6xf32, #tgraph.dims<[B, 3, 6]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 5, step = 1>, S = #tgraph.symbol<min = 6, max = 40, step = 1>}} {
  %y = tgraph.slice %a offsets [0, 1, 0] sizes [-1, 3, 6] strides [1, 2, 1] : tensor<?x?x6xf32, #tgraph.dims<[B, S, 6]>> -> tensor<?x3x6xf32, #tgraph.dims<[B, 3, 6]>>
  return %y : tensor<?x3x6xf32, #tgraph.dims<[B, 3, 6]>>
}
