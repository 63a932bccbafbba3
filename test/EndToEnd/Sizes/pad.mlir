func.func @main(%a: tensor<?x5xf32, #tgraph.dims<[S, 5]>> {tgraph.name = "a"}) -> (tensor<7x?xf32, #tgraph.dims<[7, S + 3]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 40, step = 1>}} {
  %t = tgraph.permute %a [1, 0] : tensor<?x5xf32, #tgraph.dims<[S, 5]>> -> tensor<5x?xf32, #tgraph.dims<[5, S]>>
  %y = tgraph.pad %t low [0, 2] high [2, 1] value 3.0 : f32 : tensor<5x?xf32, #tgraph.dims<[5, S]>> -> tensor<7x?xf32, #tgraph.dims<[7, S + 3]>>
  return %y : tensor<7x?xf32, #tgraph.dims<[7, S + 3]>>
}
