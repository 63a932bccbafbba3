func.func @main(%a: tensor<?x5x32xf32, #tgraph.dims<[B, 5, 32]>> {tgraph.name = "a"}, %w: tensor<32x24xf32> {tgraph.name = "w"}) -> (tensor<?x5x24xf32, #tgraph.dims<[B, 5, 24]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 12, step = 1>}} {
  %r = tgraph.reshape %a : tensor<?x5x32xf32, #tgraph.dims<[B, 5, 32]>> -> tensor<?x32xf32, #tgraph.dims<[5 * B, 32]>>
  %c = tgraph.contract "mk,kn->mn" %r, %w : tensor<?x32xf32, #tgraph.dims<[5 * B, 32]>>, tensor<32x24xf32> -> tensor<?x24xf32, #tgraph.dims<[5 * B, 24]>>
  %y = tgraph.reshape %c : tensor<?x24xf32, #tgraph.dims<[5 * B, 24]>> -> tensor<?x5x24xf32, #tgraph.dims<[B, 5, 24]>>
  return %y : tensor<?x5x24xf32, #tgraph.dims<[B, 5, 24]>>
}
