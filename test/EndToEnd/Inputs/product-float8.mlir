// A product of floats of 8 bits, of which one operand is computed, rounded to 8 bits again, as an op of tgraph is.
func.func @main(%x: tensor<128x128xf8E4M3FN> {tgraph.name = "a"}, %w: tensor<96x128xf8E4M3FN> {tgraph.name = "b"}) -> (tensor<128x96xf8E4M3FN> {tgraph.name = "c"}) {
  %0 = tgraph.relu %x : tensor<128x128xf8E4M3FN>
  %1 = tgraph.contract "mk,nk->mn" %0, %w : tensor<128x128xf8E4M3FN>, tensor<96x128xf8E4M3FN> -> tensor<128x96xf8E4M3FN>
  return %1 : tensor<128x96xf8E4M3FN>
}
