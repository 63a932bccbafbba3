// What joins make one kernel of, several results among it: rows, statistics, attention with a mask, a norm behind a product.
func.func @main(%x: tensor<67x200xf32> {tgraph.name = "x"}, %z: tensor<67x200xf32> {tgraph.name = "z"},
                %q: tensor<2x96x32xf32> {tgraph.name = "q"}, %k: tensor<2x80x32xf32> {tgraph.name = "k"},
                %v: tensor<2x80x32xf32> {tgraph.name = "v"}, %m: tensor<96x80xf32> {tgraph.name = "m"},
                %w: tensor<200x48xf32> {tgraph.name = "w"})
    -> (tensor<67x200xf32> {tgraph.name = "softmax"}, tensor<67x200xf32> {tgraph.name = "sum"},
        tensor<67x200xf32> {tgraph.name = "norm"}, tensor<2x96x32xf32> {tgraph.name = "attention"},
        tensor<67x48xf32> {tgraph.name = "rows"}) {
  %softmax = tgraph.softmax %x dim 1 : tensor<67x200xf32>
  %sum = tgraph.add %x, %z : tensor<67x200xf32>
  %norm = tgraph.layer_norm %sum dims [1] eps 1.0e-05 : tensor<67x200xf32>
  %s = tgraph.contract "hid,hjd->hij" %q, %k : tensor<2x96x32xf32>, tensor<2x80x32xf32> -> tensor<2x96x80xf32>
  %r = tgraph.reshape %m : tensor<96x80xf32> -> tensor<1x96x80xf32>
  %e = tgraph.expand %r : tensor<1x96x80xf32> -> tensor<2x96x80xf32>
  %t = tgraph.add %s, %e : tensor<2x96x80xf32>
  %p = tgraph.softmax %t dim 2 : tensor<2x96x80xf32>
  %attention = tgraph.contract "hij,hjd->hid" %p, %v : tensor<2x96x80xf32>, tensor<2x80x32xf32> -> tensor<2x96x32xf32>
  %product = tgraph.contract "ik,kj->ij" %z, %w : tensor<67x200xf32>, tensor<200x48xf32> -> tensor<67x48xf32>
  %rows = tgraph.softmax %product dim 1 : tensor<67x48xf32>
  return %softmax, %sum, %norm, %attention, %rows : tensor<67x200xf32>, tensor<67x200xf32>, tensor<67x200xf32>, tensor<2x96x32xf32>, tensor<67x48xf32>
}
