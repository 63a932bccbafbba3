func.func @main(%a: tensor<?x?xf32, #tgraph.dims<[B, S]>> {tgraph.name = "a"}) -> (tensor<?xf32, #tgraph.dims<[B * S]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 6, step = 1>, S = #tgraph.symbol<min = 0, max = 29, step = 1>}} {
  %n = tgraph.neg %a : tensor<?x?xf32, #tgraph.dims<[B, S]>>
  %y = tgraph.reshape %n : tensor<?x?xf32, #tgraph.dims<[B, S]>> -> tensor<?xf32, #tgraph.dims<[B * S]>>
  return %y : tensor<?xf32, #tgraph.dims<[B * S]>>
}
