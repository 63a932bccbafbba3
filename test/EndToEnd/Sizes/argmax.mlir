func.func @main(%a: tensor<5x?xf32, #tgraph.dims<[5, S]>> {tgraph.name = "a"}) -> (tensor<5xi64> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 70, step = 1>}} {
  %y = tgraph.arg_reduce max %a dim 1 : tensor<5x?xf32, #tgraph.dims<[5, S]>> -> tensor<5xi64>
  return %y : tensor<5xi64>
}
