func.func @main(%x: tensor<?x?x16xf32, #tgraph.dims<[B, S, 16]>> {tgraph.name = "x"}, %wq: tensor<16x24xf32> {tgraph.name = "wq"}, %wk: tensor<16x24xf32> {tgraph.name = "wk"}, %wv: tensor<16x24xf32> {tgraph.name = "wv"}, %wo: tensor<24x16xf32> {tgraph.name = "wo"}) -> (tensor<?x?x16xf32, #tgraph.dims<[B, S, 16]>> {tgraph.name = "y"}, tensor<?x3x?x8xf32, #tgraph.dims<[B, 3, S, 8]>> {tgraph.name = "k"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 7, step = 1>, S = #tgraph.symbol<min = 0, max = 37, step = 1>}} {
  %q0 = tgraph.contract "bsk,kn->bsn" %x, %wq : tensor<?x?x16xf32, #tgraph.dims<[B, S, 16]>>, tensor<16x24xf32> -> tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>
  %q1 = tgraph.reshape %q0 : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>> -> tensor<?x?x3x8xf32, #tgraph.dims<[B, S, 3, 8]>>
  %q = tgraph.permute %q1 [0, 2, 1, 3] : tensor<?x?x3x8xf32, #tgraph.dims<[B, S, 3, 8]>> -> tensor<?x3x?x8xf32, #tgraph.dims<[B, 3, S, 8]>>
  %k0 = tgraph.contract "bsk,kn->bsn" %x, %wk : tensor<?x?x16xf32, #tgraph.dims<[B, S, 16]>>, tensor<16x24xf32> -> tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>
  %k1 = tgraph.reshape %k0 : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>> -> tensor<?x?x3x8xf32, #tgraph.dims<[B, S, 3, 8]>>
  %k = tgraph.permute %k1 [0, 2, 1, 3] : tensor<?x?x3x8xf32, #tgraph.dims<[B, S, 3, 8]>> -> tensor<?x3x?x8xf32, #tgraph.dims<[B, 3, S, 8]>>
  %v0 = tgraph.contract "bsk,kn->bsn" %x, %wv : tensor<?x?x16xf32, #tgraph.dims<[B, S, 16]>>, tensor<16x24xf32> -> tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>
  %v1 = tgraph.reshape %v0 : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>> -> tensor<?x?x3x8xf32, #tgraph.dims<[B, S, 3, 8]>>
  %v = tgraph.permute %v1 [0, 2, 1, 3] : tensor<?x?x3x8xf32, #tgraph.dims<[B, S, 3, 8]>> -> tensor<?x3x?x8xf32, #tgraph.dims<[B, 3, S, 8]>>
  %s = tgraph.contract "bhid,bhjd->bhij" %q, %k : tensor<?x3x?x8xf32, #tgraph.dims<[B, 3, S, 8]>>, tensor<?x3x?x8xf32, #tgraph.dims<[B, 3, S, 8]>> -> tensor<?x3x?x?xf32, #tgraph.dims<[B, 3, S, S]>>
  %p = tgraph.softmax %s dim 3 : tensor<?x3x?x?xf32, #tgraph.dims<[B, 3, S, S]>>
  %o = tgraph.contract "bhij,bhjd->bihd" %p, %v : tensor<?x3x?x?xf32, #tgraph.dims<[B, 3, S, S]>>, tensor<?x3x?x8xf32, #tgraph.dims<[B, 3, S, 8]>> -> tensor<?x?x3x8xf32, #tgraph.dims<[B, S, 3, 8]>>
  %f = tgraph.reshape %o : tensor<?x?x3x8xf32, #tgraph.dims<[B, S, 3, 8]>> -> tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>
  %y = tgraph.contract "bsk,kn->bsn" %f, %wo : tensor<?x?x24xf32, #tgraph.dims<[B, S, 24]>>, tensor<24x16xf32> -> tensor<?x?x16xf32, #tgraph.dims<[B, S, 16]>>
  return %y, %k : tensor<?x?x16xf32, #tgraph.dims<[B, S, 16]>>, tensor<?x3x?x8xf32, #tgraph.dims<[B, 3, S, 8]>>
}
