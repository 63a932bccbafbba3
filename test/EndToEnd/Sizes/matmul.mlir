func.func @main(%a: tensor<?x?xf32, #tgraph.dims<[M, K]>> {tgraph.name = "a"}, %b: tensor<?x?xf32, #tgraph.dims<[K, N]>> {tgraph.name = "b"}) -> (tensor<?x?xf32, #tgraph.dims<[M, N]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {M = #tgraph.symbol<min = 0, max = 50, step = 1>, N = #tgraph.symbol<min = 0, max = 45, step = 1>, K = #tgraph.symbol<min = 0, max = 60, step = 1>}} {
  %y = tgraph.contract "mk,kn->mn" %a, %b : tensor<?x?xf32, #tgraph.dims<[M, K]>>, tensor<?x?xf32, #tgraph.dims<[K, N]>> -> tensor<?x?xf32, #tgraph.dims<[M, N]>>
  return %y : tensor<?x?xf32, #tgraph.dims<[M, N]>>
}
