func.func @main(%q: tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>> {tgraph.name = "q"}, %k: tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>> {tgraph.name = "k"}, %v: tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>> {tgraph.name = "v"}) -> (tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 3, step = 1>, S = #tgraph.symbol<min = 0, max = 33, step = 1>}} {
  %s = tgraph.contract "bhid,bhjd->bhij" %q, %k : tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>>, tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>> -> tensor<?x4x?x?xf32, #tgraph.dims<[B, 4, S, S]>>
  %p = tgraph.softmax %s dim 3 : tensor<?x4x?x?xf32, #tgraph.dims<[B, 4, S, S]>>
  %y = tgraph.contract "bhij,bhjd->bhid" %p, %v : tensor<?x4x?x?xf32, #tgraph.dims<[B, 4, S, S]>>, tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>> -> tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>>
  return %y : tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>>
}
