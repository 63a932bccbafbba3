func.func @main(%a: tensor<7x?xf32, #tgraph.dims<[7, S]>> {tgraph.name = "a"}) -> (tensor<7x?xf32, #tgraph.dims<[7, S]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 70, step = 1>}} {
  %y = tgraph.softmax %a dim 1 : tensor<7x?xf32, #tgraph.dims<[7, S]>>
  return %y : tensor<7x?xf32, #tgraph.dims<[7, S]>>
}
