func.func @main(%a: tensor<?x48xf32, #tgraph.dims<[S, 48]>> {tgraph.name = "a"}, %g: tensor<48xf32> {tgraph.name = "g"}, %b: tensor<48xf32> {tgraph.name = "b"}) -> (tensor<?x48xf32, #tgraph.dims<[S, 48]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 70, step = 1>}} {
  %y = tgraph.layer_norm %a scale %g : tensor<48xf32> bias %b : tensor<48xf32> dims [1] eps 1.0e-05 : tensor<?x48xf32, #tgraph.dims<[S, 48]>>
  return %y : tensor<?x48xf32, #tgraph.dims<[S, 48]>>
}
