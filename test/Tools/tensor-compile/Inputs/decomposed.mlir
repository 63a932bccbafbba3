// One op that becomes several kernels.
func.func @main(%x: tensor<64x300xf32>) -> tensor<64x300xf32> {
  %0 = tgraph.softmax %x dim 1 : tensor<64x300xf32>
  return %0 : tensor<64x300xf32>
}
