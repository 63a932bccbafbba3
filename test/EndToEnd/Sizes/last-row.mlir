// The end of a language model: of the last block's rows the last one of each sequence alone is read.
func.func @main(%x: tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>> {tgraph.name = "x"}, %w: tensor<24x40xf32> {tgraph.name = "w"}, %v: tensor<40x24xf32> {tgraph.name = "v"}, %g: tensor<24xf32> {tgraph.name = "g"}, %h: tensor<24x40xf32> {tgraph.name = "h"})
    -> (tensor<?x40xf32, #tgraph.dims<[B, 40]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 1, max = 6, step = 1>, S = #tgraph.symbol<min = 1, max = 50, step = 1>}} {
  %0 = tgraph.contract "bmk,kn->bmn" %x, %w : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>, tensor<24x40xf32> -> tensor<?x?x40xf32, #tgraph.dims<[B, S, 40]>>
  %1 = tgraph.tanh %0 : tensor<?x?x40xf32, #tgraph.dims<[B, S, 40]>>
  %2 = tgraph.contract "bmk,kn->bmn" %1, %v : tensor<?x?x40xf32, #tgraph.dims<[B, S, 40]>>, tensor<40x24xf32> -> tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>
  %3 = tgraph.add %x, %2 : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>
  %4 = tgraph.layer_norm %3 scale %g : tensor<24xf32> bias %g : tensor<24xf32> dims [2] eps 1.0e-05 : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>
  %p = tgraph.size <[S - 1]> : tensor<i64>
  %5 = tgraph.gather %4, %p {axis = 1 : i64} : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>, tensor<i64> -> tensor<?x24xf32, #tgraph.dims<[B, 24]>>
  %y = tgraph.contract "mk,kn->mn" %5, %h : tensor<?x24xf32, #tgraph.dims<[B, 24]>>, tensor<24x40xf32> -> tensor<?x40xf32, #tgraph.dims<[B, 40]>>
  return %y : tensor<?x40xf32, #tgraph.dims<[B, 40]>>
}
