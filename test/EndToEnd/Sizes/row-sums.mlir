func.func @main(%a: tensor<13x?xf32, #tgraph.dims<[13, S]>> {tgraph.name = "a"}) -> (tensor<13xf32> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 70, step = 1>}} {
  %y = tgraph.reduce add %a dims [1] : tensor<13x?xf32, #tgraph.dims<[13, S]>> -> tensor<13xf32>
  return %y : tensor<13xf32>
}
