func.func @main(%a: tensor<4x?x8xf32, #tgraph.dims<[4, P, 8]>> {tgraph.name = "a"}, %b: tensor<4x?x8xf32, #tgraph.dims<[4, S, 8]>> {tgraph.name = "b"}, %c: tensor<4x3x8xf32> {tgraph.name = "c"}) -> (tensor<4x?x8xf32, #tgraph.dims<[4, P + S + 3, 8]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {P = #tgraph.symbol<min = 0, max = 30, step = 1>, S = #tgraph.symbol<min = 0, max = 20, step = 1>}} {
  %y = tgraph.concat %a, %b, %c dim 1 : tensor<4x?x8xf32, #tgraph.dims<[4, P, 8]>>, tensor<4x?x8xf32, #tgraph.dims<[4, S, 8]>>, tensor<4x3x8xf32> -> tensor<4x?x8xf32, #tgraph.dims<[4, P + S + 3, 8]>>
  return %y : tensor<4x?x8xf32, #tgraph.dims<[4, P + S + 3, 8]>>
}
