func.func @main(%x: tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>> {tgraph.name = "x"}, %w: tensor<24x48xf32> {tgraph.name = "w"}, %b: tensor<48xf32> {tgraph.name = "b"}, %v: tensor<48x24xf32> {tgraph.name = "v"}, %g: tensor<24xf32> {tgraph.name = "g"}) -> (tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>> {tgraph.name = "y"}, tensor<?xf32, #tgraph.dims<[3 * B * S]>> {tgraph.name = "m"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 7, step = 1>, S = #tgraph.symbol<min = 0, max = 37, step = 1>}} {
  %n = tgraph.layer_norm %x scale %g : tensor<24xf32> bias %g : tensor<24xf32> dims [2] eps 1.0e-05 : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>
  %f = tgraph.reshape %n : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>> -> tensor<?x24xf32, #tgraph.dims<[B * S, 24]>>
  %c = tgraph.contract "mk,kn->mn" %f, %w : tensor<?x24xf32, #tgraph.dims<[B * S, 24]>>, tensor<24x48xf32> -> tensor<?x48xf32, #tgraph.dims<[B * S, 48]>>
  %b0 = tgraph.reshape %b : tensor<48xf32> -> tensor<1x48xf32>
  %b1 = tgraph.expand %b0 : tensor<1x48xf32> -> tensor<?x48xf32, #tgraph.dims<[B * S, 48]>>
  %a = tgraph.add %c, %b1 : tensor<?x48xf32, #tgraph.dims<[B * S, 48]>>
  %h = tgraph.reshape %a : tensor<?x48xf32, #tgraph.dims<[B * S, 48]>> -> tensor<?x?x6x8xf32, #tgraph.dims<[B, S, 6, 8]>>
  %p = tgraph.permute %h [0, 2, 1, 3] : tensor<?x?x6x8xf32, #tgraph.dims<[B, S, 6, 8]>> -> tensor<?x6x?x8xf32, #tgraph.dims<[B, 6, S, 8]>>
  %s = tgraph.contract "bhid,bhjd->bhij" %p, %p : tensor<?x6x?x8xf32, #tgraph.dims<[B, 6, S, 8]>>, tensor<?x6x?x8xf32, #tgraph.dims<[B, 6, S, 8]>> -> tensor<?x6x?x?xf32, #tgraph.dims<[B, 6, S, S]>>
  %s1 = tgraph.softmax %s dim 3 : tensor<?x6x?x?xf32, #tgraph.dims<[B, 6, S, S]>>
  %o = tgraph.contract "bhij,bhjd->bihd" %s1, %p : tensor<?x6x?x?xf32, #tgraph.dims<[B, 6, S, S]>>, tensor<?x6x?x8xf32, #tgraph.dims<[B, 6, S, 8]>> -> tensor<?x?x6x8xf32, #tgraph.dims<[B, S, 6, 8]>>
  %r = tgraph.reshape %o : tensor<?x?x6x8xf32, #tgraph.dims<[B, S, 6, 8]>> -> tensor<?x48xf32, #tgraph.dims<[B * S, 48]>>
  %d = tgraph.contract "mk,kn->mn" %r, %v : tensor<?x48xf32, #tgraph.dims<[B * S, 48]>>, tensor<48x24xf32> -> tensor<?x24xf32, #tgraph.dims<[B * S, 24]>>
  %e = tgraph.reshape %d : tensor<?x24xf32, #tgraph.dims<[B * S, 24]>> -> tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>
  %y = tgraph.add %x, %e : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>
  %t = tgraph.reshape %d : tensor<?x24xf32, #tgraph.dims<[B * S, 24]>> -> tensor<?x8xf32, #tgraph.dims<[3 * B * S, 8]>>
  %u = tgraph.exp %t : tensor<?x8xf32, #tgraph.dims<[3 * B * S, 8]>>
  %m = tgraph.reduce add %u dims [1] : tensor<?x8xf32, #tgraph.dims<[3 * B * S, 8]>> -> tensor<?xf32, #tgraph.dims<[3 * B * S]>>
  return %y, %m : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>, tensor<?xf32, #tgraph.dims<[3 * B * S]>>
}
