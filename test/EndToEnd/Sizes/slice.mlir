func.func @main(%a: tensor<?x40xf32, #tgraph.dims<[S, 40]>> {tgraph.name = "a"}) -> (tensor<?x16xf32, #tgraph.dims<[S, 16]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 33, step = 1>}} {
  %y = tgraph.slice %a offsets [0, 8] sizes [-1, 16] strides [1, 2] : tensor<?x40xf32, #tgraph.dims<[S, 40]>> -> tensor<?x16xf32, #tgraph.dims<[S, 16]>>
  return %y : tensor<?x16xf32, #tgraph.dims<[S, 16]>>
}
