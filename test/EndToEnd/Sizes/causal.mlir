func.func @main(%s: tensor<3x?x?xf32, #tgraph.dims<[3, S, S]>> {tgraph.name = "s"}, %m: tensor<f32> {tgraph.name = "m"}) -> (tensor<3x?x?xf32, #tgraph.dims<[3, S, S]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 40, step = 1>}} {
  %i = tgraph.iota dim 1 : tensor<3x?x?xi64, #tgraph.dims<[3, S, S]>>
  %j = tgraph.iota dim 2 : tensor<3x?x?xi64, #tgraph.dims<[3, S, S]>>
  %b = tgraph.compare ge, %i, %j : tensor<3x?x?xi64, #tgraph.dims<[3, S, S]>>
  %r = tgraph.reshape %m : tensor<f32> -> tensor<1x1x1xf32>
  %e = tgraph.expand %r : tensor<1x1x1xf32> -> tensor<3x?x?xf32, #tgraph.dims<[3, S, S]>>
  %x = tgraph.select %b, %s, %e : tensor<3x?x?xf32, #tgraph.dims<[3, S, S]>>
  %y = tgraph.softmax %x dim 2 : tensor<3x?x?xf32, #tgraph.dims<[3, S, S]>>
  return %y : tensor<3x?x?xf32, #tgraph.dims<[3, S, S]>>
}
