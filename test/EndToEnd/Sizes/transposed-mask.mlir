func.func @main(%m: tensor<?x?xi1, #tgraph.dims<[S, T]>> {tgraph.name = "m"}, %x: tensor<?x?xf32, #tgraph.dims<[T, S]>> {tgraph.name = "x"}) -> (tensor<?x?xf32, #tgraph.dims<[T, S]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 70, step = 1>, T = #tgraph.symbol<min = 0, max = 40, step = 1>}} {
  %t = tgraph.permute %m [1, 0] : tensor<?x?xi1, #tgraph.dims<[S, T]>> -> tensor<?x?xi1, #tgraph.dims<[T, S]>>
  %n = tgraph.neg %x : tensor<?x?xf32, #tgraph.dims<[T, S]>>
  %y = tgraph.select %t, %x, %n : tensor<?x?xf32, #tgraph.dims<[T, S]>>
  return %y : tensor<?x?xf32, #tgraph.dims<[T, S]>>
}
