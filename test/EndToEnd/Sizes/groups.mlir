func.func @main(%a: tensor<?x?x5xf32, #tgraph.dims<[B, S, 5]>> {tgraph.name = "a"}) -> (tensor<?x?x5xf32, #tgraph.dims<[B, S, 5]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 3, step = 1>, S = #tgraph.symbol<min = 0, max = 60, step = 3>}} {
  %p = tgraph.reshape %a : tensor<?x?x5xf32, #tgraph.dims<[B, S, 5]>> -> tensor<?x?x3x5xf32, #tgraph.dims<[B, S / 3, 3, 5]>>
  %s = tgraph.reduce add %p dims [2] : tensor<?x?x3x5xf32, #tgraph.dims<[B, S / 3, 3, 5]>> -> tensor<?x?x5xf32, #tgraph.dims<[B, S / 3, 5]>>
  %o = tgraph.reshape %s : tensor<?x?x5xf32, #tgraph.dims<[B, S / 3, 5]>> -> tensor<?x?x1x5xf32, #tgraph.dims<[B, S / 3, 1, 5]>>
  %e = tgraph.expand %o : tensor<?x?x1x5xf32, #tgraph.dims<[B, S / 3, 1, 5]>> -> tensor<?x?x3x5xf32, #tgraph.dims<[B, S / 3, 3, 5]>>
  %d = tgraph.sub %p, %e : tensor<?x?x3x5xf32, #tgraph.dims<[B, S / 3, 3, 5]>>
  %y = tgraph.reshape %d : tensor<?x?x3x5xf32, #tgraph.dims<[B, S / 3, 3, 5]>> -> tensor<?x?x5xf32, #tgraph.dims<[B, S, 5]>>
  return %y : tensor<?x?x5xf32, #tgraph.dims<[B, S, 5]>>
}
