func.func @main(%a: tensor<?x9xf32, #tgraph.dims<[S, 9]>> {tgraph.name = "a"}) -> (tensor<?x9xf32, #tgraph.dims<[S, 9]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 40, step = 1>}} {
  %y = tgraph.flip %a dims [0, 1] : tensor<?x9xf32, #tgraph.dims<[S, 9]>>
  return %y : tensor<?x9xf32, #tgraph.dims<[S, 9]>>
}
