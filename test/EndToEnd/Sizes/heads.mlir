func.func @main(%q: tensor<?x?x64xf32, #tgraph.dims<[B, S, 64]>> {tgraph.name = "q"}) -> (tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 3, step = 1>, S = #tgraph.symbol<min = 0, max = 33, step = 1>}} {
  %r = tgraph.reshape %q : tensor<?x?x64xf32, #tgraph.dims<[B, S, 64]>> -> tensor<?x?x4x16xf32, #tgraph.dims<[B, S, 4, 16]>>
  %y = tgraph.permute %r [0, 2, 1, 3] : tensor<?x?x4x16xf32, #tgraph.dims<[B, S, 4, 16]>> -> tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>>
  return %y : tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>>
}
