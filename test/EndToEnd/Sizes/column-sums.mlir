func.func @main(%a: tensor<?x13xf32, #tgraph.dims<[S, 13]>> {tgraph.name = "a"}) -> (tensor<13xf32> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 70, step = 1>}} {
  %y = tgraph.reduce add %a dims [0] : tensor<?x13xf32, #tgraph.dims<[S, 13]>> -> tensor<13xf32>
  return %y : tensor<13xf32>
}
