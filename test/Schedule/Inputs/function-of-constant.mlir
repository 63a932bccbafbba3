// A function of a large constant, of which every other row is read.
func.func @main(%x: tensor<256x512xf32> {tgraph.name = "x"}) -> (tensor<256x512xf32> {tgraph.name = "y"}) {
  %0 = tgraph.constant #tgraph.file<"w.bin", 0, 1048576> : tensor<512x512xf32>
  %1 = tgraph.exp %0 : tensor<512x512xf32>
  %2 = tgraph.slice %1 offsets [0, 0] sizes [256, 512] strides [2, 1] : tensor<512x512xf32> -> tensor<256x512xf32>
  %3 = tgraph.add %x, %2 : tensor<256x512xf32>
  return %3 : tensor<256x512xf32>
}
