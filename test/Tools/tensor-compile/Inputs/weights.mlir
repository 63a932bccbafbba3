func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = tgraph.constant #tgraph.file<"w", 0, 8> : tensor<2xf32>
  %y = tgraph.mul %x, %w : tensor<2xf32>
  return %y : tensor<2xf32>
}
