func.func @main(%x: tensor<?x16xf32, #tgraph.dims<[4 * S + 3, 16]>> {tgraph.name = "x"}, %z: tensor<?xf32, #tgraph.dims<[P * S]>> {tgraph.name = "z"}) -> (tensor<?xf32, #tgraph.dims<[P * S]>> {tgraph.name = "y"}, tensor<?x16xf32, #tgraph.dims<[4 * S + 3, 16]>> {tgraph.name = "y2"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 64, step = 1>, P = #tgraph.symbol<min = 1, max = 64, step = 1>}} {
  %y = tgraph.exp %x : tensor<?x16xf32, #tgraph.dims<[4 * S + 3, 16]>>
  %z2 = tgraph.exp %z : tensor<?xf32, #tgraph.dims<[P * S]>>
  return %z2, %y : tensor<?xf32, #tgraph.dims<[P * S]>>, tensor<?x16xf32, #tgraph.dims<[4 * S + 3, 16]>>
}
