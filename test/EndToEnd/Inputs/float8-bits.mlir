// The bits of floats of 8 bits that are chosen, and what bits stand for.
func.func @main(%x: tensor<256xui8> {tgraph.name = "x"}) -> (tensor<256xui8> {tgraph.name = "chosen"}, tensor<256xf32> {tgraph.name = "wide"}, tensor<256xi8> {tgraph.name = "rounded"}) {
  %0 = tgraph.bitcast %x : tensor<256xui8> to tensor<256xf8E4M3FN>
  %1 = tgraph.flip %0 dims [0] : tensor<256xf8E4M3FN>
  %c = tgraph.constant dense<99> : tensor<256xui8>
  %2 = tgraph.compare gt, %x, %c : tensor<256xui8>
  %3 = tgraph.select %2, %0, %1 : tensor<256xf8E4M3FN>
  %4 = tgraph.bitcast %3 : tensor<256xf8E4M3FN> to tensor<256xui8>
  %5 = tgraph.bitcast %x : tensor<256xui8> to tensor<256xf8E5M2>
  %6 = tgraph.cast %5 : tensor<256xf8E5M2> to tensor<256xf32>
  %7 = tgraph.cast %x : tensor<256xui8> to tensor<256xf8E4M3FNUZ>
  %8 = tgraph.bitcast %7 : tensor<256xf8E4M3FNUZ> to tensor<256xi8>
  return %4, %6, %8 : tensor<256xui8>, tensor<256xf32>, tensor<256xi8>
}
