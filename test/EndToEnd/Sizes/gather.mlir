func.func @main(%t: tensor<100x24xf32> {tgraph.name = "t"}, %i: tensor<?xi64, #tgraph.dims<[S]>> {tgraph.name = "i"}) -> (tensor<?x24xf32, #tgraph.dims<[S, 24]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 70, step = 1>}} {
  %y = tgraph.gather %t, %i {axis = 0 : i64} : tensor<100x24xf32>, tensor<?xi64, #tgraph.dims<[S]>> -> tensor<?x24xf32, #tgraph.dims<[S, 24]>>
  return %y : tensor<?x24xf32, #tgraph.dims<[S, 24]>>
}
