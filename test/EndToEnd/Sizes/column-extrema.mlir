func.func @main(%a: tensor<?x13xf32, #tgraph.dims<[S, 13]>> {tgraph.name = "a"}) -> (tensor<13xf32> {tgraph.name = "y"}, tensor<13xf32> {tgraph.name = "z"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 70, step = 1>}} {
  %y = tgraph.reduce max %a dims [0] : tensor<?x13xf32, #tgraph.dims<[S, 13]>> -> tensor<13xf32>
  %z = tgraph.reduce mul %a dims [0] : tensor<?x13xf32, #tgraph.dims<[S, 13]>> -> tensor<13xf32>
  return %y, %z : tensor<13xf32>, tensor<13xf32>
}
