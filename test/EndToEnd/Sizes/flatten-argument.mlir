func.func @main(%a: tensor<?x?xf32, #tgraph.dims<[B, S]>> {tgraph.name = "a"}) -> (tensor<?xf32, #tgraph.dims<[B * S + B]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 6, step = 1>, S = #tgraph.symbol<min = 0, max = 29, step = 1>}} {
  %f = tgraph.reshape %a : tensor<?x?xf32, #tgraph.dims<[B, S]>> -> tensor<?xf32, #tgraph.dims<[B * S]>>
  %s = tgraph.reduce add %a dims [1] : tensor<?x?xf32, #tgraph.dims<[B, S]>> -> tensor<?xf32, #tgraph.dims<[B]>>
  %y = tgraph.concat %f, %s dim 0 : tensor<?xf32, #tgraph.dims<[B * S]>>, tensor<?xf32, #tgraph.dims<[B]>> -> tensor<?xf32, #tgraph.dims<[B * S + B]>>
  return %y : tensor<?xf32, #tgraph.dims<[B * S + B]>>
}
