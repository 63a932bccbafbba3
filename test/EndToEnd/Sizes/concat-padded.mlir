// Behind one another in one dimension, with more behind them: what lies before the second is no element of it.
func.func @main(%i: tensor<?xi32, #tgraph.dims<[S]>> {tgraph.name = "i"}) -> (tensor<?xi32, #tgraph.dims<[2 * S + 3]>> {tgraph.name = "joined"})
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 40, step = 1>}} {
  %5 = tgraph.concat %i, %i dim 0 : tensor<?xi32, #tgraph.dims<[S]>>, tensor<?xi32, #tgraph.dims<[S]>> -> tensor<?xi32, #tgraph.dims<[2 * S]>>
  %6 = tgraph.pad %5 low [0] high [3] value 7 : i32 : tensor<?xi32, #tgraph.dims<[2 * S]>> -> tensor<?xi32, #tgraph.dims<[2 * S + 3]>>
  return %6 : tensor<?xi32, #tgraph.dims<[2 * S + 3]>>
}
