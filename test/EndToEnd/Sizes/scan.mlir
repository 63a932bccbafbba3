func.func @main(%a: tensor<5x?xf32, #tgraph.dims<[5, S]>> {tgraph.name = "a"}) -> (tensor<5x?xf32, #tgraph.dims<[5, S]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 70, step = 1>}} {
  %y = tgraph.scan add %a dim 1 : tensor<5x?xf32, #tgraph.dims<[5, S]>>
  return %y : tensor<5x?xf32, #tgraph.dims<[5, S]>>
}
