func.func @main(%a: tensor<?x6xf32, #tgraph.dims<[S, 6]>> {tgraph.name = "a"}, %w: tensor<24x10xf32> {tgraph.name = "w"}) -> (tensor<?x10xf32, #tgraph.dims<[S / 4, 10]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 80, step = 4>}} {
  %p = tgraph.reshape %a : tensor<?x6xf32, #tgraph.dims<[S, 6]>> -> tensor<?x4x6xf32, #tgraph.dims<[S / 4, 4, 6]>>
  %e = tgraph.exp %p : tensor<?x4x6xf32, #tgraph.dims<[S / 4, 4, 6]>>
  %q = tgraph.reshape %e : tensor<?x4x6xf32, #tgraph.dims<[S / 4, 4, 6]>> -> tensor<?x24xf32, #tgraph.dims<[S / 4, 24]>>
  %y = tgraph.contract "mk,kn->mn" %q, %w : tensor<?x24xf32, #tgraph.dims<[S / 4, 24]>>, tensor<24x10xf32> -> tensor<?x10xf32, #tgraph.dims<[S / 4, 10]>>
  return %y : tensor<?x10xf32, #tgraph.dims<[S / 4, 10]>>
}
