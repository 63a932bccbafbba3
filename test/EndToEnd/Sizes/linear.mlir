func.func @main(%a: tensor<?x64xf32, #tgraph.dims<[M, 64]>> {tgraph.name = "a"}, %w: tensor<64x48xf32> {tgraph.name = "w"}) -> (tensor<?x48xf32, #tgraph.dims<[M, 48]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {M = #tgraph.symbol<min = 0, max = 50, step = 1>}} {
  %x = tgraph.contract "mk,kn->mn" %a, %w : tensor<?x64xf32, #tgraph.dims<[M, 64]>>, tensor<64x48xf32> -> tensor<?x48xf32, #tgraph.dims<[M, 48]>>
  %y = tgraph.relu %x : tensor<?x48xf32, #tgraph.dims<[M, 48]>>
  return %y : tensor<?x48xf32, #tgraph.dims<[M, 48]>>
}
