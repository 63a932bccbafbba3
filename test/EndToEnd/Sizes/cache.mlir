func.func @main(%q: tensor<2x?x16xf32, #tgraph.dims<[2, S, 16]>> {tgraph.name = "q"}, %k: tensor<2x?x16xf32, #tgraph.dims<[2, P, 16]>> {tgraph.name = "k"}, %n: tensor<2x?x16xf32, #tgraph.dims<[2, S, 16]>> {tgraph.name = "n"}) -> (tensor<2x?x16xf32, #tgraph.dims<[2, S, 16]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {P = #tgraph.symbol<min = 0, max = 40, step = 1>, S = #tgraph.symbol<min = 0, max = 9, step = 1>}} {
  %a = tgraph.concat %k, %n dim 1 : tensor<2x?x16xf32, #tgraph.dims<[2, P, 16]>>, tensor<2x?x16xf32, #tgraph.dims<[2, S, 16]>> -> tensor<2x?x16xf32, #tgraph.dims<[2, P + S, 16]>>
  %s = tgraph.contract "hid,hjd->hij" %q, %a : tensor<2x?x16xf32, #tgraph.dims<[2, S, 16]>>, tensor<2x?x16xf32, #tgraph.dims<[2, P + S, 16]>> -> tensor<2x?x?xf32, #tgraph.dims<[2, S, P + S]>>
  %p = tgraph.softmax %s dim 2 : tensor<2x?x?xf32, #tgraph.dims<[2, S, P + S]>>
  %y = tgraph.contract "hij,hjd->hid" %p, %a : tensor<2x?x?xf32, #tgraph.dims<[2, S, P + S]>>, tensor<2x?x16xf32, #tgraph.dims<[2, P + S, 16]>> -> tensor<2x?x16xf32, #tgraph.dims<[2, S, 16]>>
  return %y : tensor<2x?x16xf32, #tgraph.dims<[2, S, 16]>>
}
