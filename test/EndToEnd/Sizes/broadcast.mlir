func.func @main(%a: tensor<4x?x8xf32, #tgraph.dims<[4, S, 8]>> {tgraph.name = "a"}, %b: tensor<8x?xf32, #tgraph.dims<[8, S]>> {tgraph.name = "b"}) -> (tensor<4x?x8xf32, #tgraph.dims<[4, S, 8]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 40, step = 1>}} {
  %p = tgraph.permute %b [1, 0] : tensor<8x?xf32, #tgraph.dims<[8, S]>> -> tensor<?x8xf32, #tgraph.dims<[S, 8]>>
  %r = tgraph.reshape %p : tensor<?x8xf32, #tgraph.dims<[S, 8]>> -> tensor<1x?x8xf32, #tgraph.dims<[1, S, 8]>>
  %e = tgraph.expand %r : tensor<1x?x8xf32, #tgraph.dims<[1, S, 8]>> -> tensor<4x?x8xf32, #tgraph.dims<[4, S, 8]>>
  %y = tgraph.mul %a, %e : tensor<4x?x8xf32, #tgraph.dims<[4, S, 8]>>
  return %y : tensor<4x?x8xf32, #tgraph.dims<[4, S, 8]>>
}
