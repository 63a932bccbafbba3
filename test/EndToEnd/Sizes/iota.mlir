func.func @main(%a: tensor<?x4xf32, #tgraph.dims<[S, 4]>> {tgraph.name = "a"}) -> (tensor<?x4xf32, #tgraph.dims<[S, 4]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 70, step = 1>}} {
  %i = tgraph.iota dim 0 : tensor<?x4xf32, #tgraph.dims<[S, 4]>>
  %y = tgraph.mul %i, %a : tensor<?x4xf32, #tgraph.dims<[S, 4]>>
  return %y : tensor<?x4xf32, #tgraph.dims<[S, 4]>>
}
