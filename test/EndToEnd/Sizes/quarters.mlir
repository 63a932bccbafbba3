func.func @main(%a: tensor<?xf32, #tgraph.dims<[S]>> {tgraph.name = "a"}) -> (tensor<?xf32, #tgraph.dims<[S]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 400, step = 4>}} {
  %n = tgraph.neg %a : tensor<?xf32, #tgraph.dims<[S]>>
  %q = tgraph.reshape %n : tensor<?xf32, #tgraph.dims<[S]>> -> tensor<4x?xf32, #tgraph.dims<[4, S / 4]>>
  %s = tgraph.reduce add %q dims [0] : tensor<4x?xf32, #tgraph.dims<[4, S / 4]>> -> tensor<?xf32, #tgraph.dims<[S / 4]>>
  %o = tgraph.reshape %s : tensor<?xf32, #tgraph.dims<[S / 4]>> -> tensor<1x?xf32, #tgraph.dims<[1, S / 4]>>
  %e = tgraph.expand %o : tensor<1x?xf32, #tgraph.dims<[1, S / 4]>> -> tensor<4x?xf32, #tgraph.dims<[4, S / 4]>>
  %d = tgraph.mul %q, %e : tensor<4x?xf32, #tgraph.dims<[4, S / 4]>>
  %y = tgraph.reshape %d : tensor<4x?xf32, #tgraph.dims<[4, S / 4]>> -> tensor<?xf32, #tgraph.dims<[S]>>
  return %y : tensor<?xf32, #tgraph.dims<[S]>>
}
