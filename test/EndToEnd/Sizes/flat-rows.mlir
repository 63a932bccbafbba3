func.func @main(%x: tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>> {tgraph.name = "x"}, %h: tensor<3x?x8xf32, #tgraph.dims<[3, S, 8]>> {tgraph.name = "h"}, %w: tensor<24x24xf32> {tgraph.name = "w"}, %g: tensor<24xf32> {tgraph.name = "g"}, %v: tensor<8x16xf32> {tgraph.name = "v"}) -> (tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>> {tgraph.name = "y"}, tensor<24x24xf32> {tgraph.name = "d"}, tensor<3x?x16xf32, #tgraph.dims<[3, S, 16]>> {tgraph.name = "z"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 9, step = 1>, S = #tgraph.symbol<min = 0, max = 41, step = 1>}} {
  %c = tgraph.contract "bsk,kn->bsn" %x, %w : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>, tensor<24x24xf32> -> tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>
  %e = tgraph.exp %c : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>
  %r = tgraph.add %e, %x : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>
  %y = tgraph.layer_norm %r scale %g : tensor<24xf32> bias %g : tensor<24xf32> dims [2] eps 1.0e-05 : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>
  %d = tgraph.contract "bsk,bsn->kn" %x, %y : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>, tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>> -> tensor<24x24xf32>
  %z = tgraph.contract "hsk,kn->hsn" %h, %v : tensor<3x?x8xf32, #tgraph.dims<[3, S, 8]>>, tensor<8x16xf32> -> tensor<3x?x16xf32, #tgraph.dims<[3, S, 16]>>
  return %y, %d, %z : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>, tensor<24x24xf32>, tensor<3x?x16xf32, #tgraph.dims<[3, S, 16]>>
}
