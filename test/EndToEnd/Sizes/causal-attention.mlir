func.func @main(%q: tensor<2x?x32xf32, #tgraph.dims<[2, I, 32]>> {tgraph.name = "q"}, %k: tensor<2x?x32xf32, #tgraph.dims<[2, J, 32]>> {tgraph.name = "k"}, %v: tensor<2x?x32xf32, #tgraph.dims<[2, J, 32]>> {tgraph.name = "v"}) -> (tensor<2x?x32xf32, #tgraph.dims<[2, I, 32]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {I = #tgraph.symbol<min = 1, max = 96, step = 1>, J = #tgraph.symbol<min = 1, max = 96, step = 1>}} {
  %s = tgraph.contract "bid,bjd->bij" %q, %k : tensor<2x?x32xf32, #tgraph.dims<[2, I, 32]>>, tensor<2x?x32xf32, #tgraph.dims<[2, J, 32]>> -> tensor<2x?x?xf32, #tgraph.dims<[2, I, J]>>
  %i = tgraph.iota dim 1 : tensor<2x?x?xi64, #tgraph.dims<[2, I, J]>>
  %j = tgraph.iota dim 2 : tensor<2x?x?xi64, #tgraph.dims<[2, I, J]>>
  %b = tgraph.compare ge, %i, %j : tensor<2x?x?xi64, #tgraph.dims<[2, I, J]>>
  %n = tgraph.constant dense<0xFF800000> : tensor<1x1x1xf32>
  %e = tgraph.expand %n : tensor<1x1x1xf32> -> tensor<2x?x?xf32, #tgraph.dims<[2, I, J]>>
  %x = tgraph.select %b, %s, %e : tensor<2x?x?xf32, #tgraph.dims<[2, I, J]>>
  %p = tgraph.softmax %x dim 2 : tensor<2x?x?xf32, #tgraph.dims<[2, I, J]>>
  %y = tgraph.contract "bij,bjd->bid" %p, %v : tensor<2x?x?xf32, #tgraph.dims<[2, I, J]>>, tensor<2x?x32xf32, #tgraph.dims<[2, J, 32]>> -> tensor<2x?x32xf32, #tgraph.dims<[2, I, 32]>>
  return %y : tensor<2x?x32xf32, #tgraph.dims<[2, I, 32]>>
}
