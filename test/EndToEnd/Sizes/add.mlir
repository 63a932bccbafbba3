func.func @main(%a: tensor<?x?x20xf32, #tgraph.dims<[B, S, 20]>> {tgraph.name = "a"}, %b: tensor<?x?x20xf32, #tgraph.dims<[B, S, 20]>> {tgraph.name = "b"}) -> (tensor<?x?x20xf32, #tgraph.dims<[B, S, 20]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 9, step = 1>, S = #tgraph.symbol<min = 0, max = 40, step = 1>}} {
  %y = tgraph.add %a, %b : tensor<?x?x20xf32, #tgraph.dims<[B, S, 20]>>
  return %y : tensor<?x?x20xf32, #tgraph.dims<[B, S, 20]>>
}
