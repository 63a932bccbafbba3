func.func @main(%a: tensor<?x19xf32, #tgraph.dims<[S, 19]>> {tgraph.name = "a"}) -> (tensor<?x19xf32, #tgraph.dims<[S, 19]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 70, step = 1>}} {
  %y = tgraph.softmax %a dim 1 : tensor<?x19xf32, #tgraph.dims<[S, 19]>>
  return %y : tensor<?x19xf32, #tgraph.dims<[S, 19]>>
}
