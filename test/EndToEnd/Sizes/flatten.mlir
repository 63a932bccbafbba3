func.func @main(%a: tensor<?x?x8xf32, #tgraph.dims<[B, S, 8]>> {tgraph.name = "a"}, %w: tensor<8x24xf32> {tgraph.name = "w"}) -> (tensor<?x4x?x6xf32, #tgraph.dims<[B, 4, S, 6]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 5, step = 1>, S = #tgraph.symbol<min = 0, max = 33, step = 1>}} {
  %n = tgraph.neg %a : tensor<?x?x8xf32, #tgraph.dims<[B, S, 8]>>
  %f = tgraph.reshape %n : tensor<?x?x8xf32, #tgraph.dims<[B, S, 8]>> -> tensor<?x8xf32, #tgraph.dims<[B * S, 8]>>
  %m = tgraph.contract "mk,kn->mn" %f, %w : tensor<?x8xf32, #tgraph.dims<[B * S, 8]>>, tensor<8x24xf32> -> tensor<?x24xf32, #tgraph.dims<[B * S, 24]>>
  %e = tgraph.exp %m : tensor<?x24xf32, #tgraph.dims<[B * S, 24]>>
  %r = tgraph.reshape %e : tensor<?x24xf32, #tgraph.dims<[B * S, 24]>> -> tensor<?x?x4x6xf32, #tgraph.dims<[B, S, 4, 6]>>
  %y = tgraph.permute %r [0, 2, 1, 3] : tensor<?x?x4x6xf32, #tgraph.dims<[B, S, 4, 6]>> -> tensor<?x4x?x6xf32, #tgraph.dims<[B, 4, S, 6]>>
  return %y : tensor<?x4x?x6xf32, #tgraph.dims<[B, 4, S, 6]>>
}
