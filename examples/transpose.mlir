func.func @main(%x: tensor<2x3xf32>, %y: tensor<6xf32>) -> tensor<3x2xf32> {
  %0 = tgraph.permute %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %1 = tgraph.reshape %y : tensor<6xf32> -> tensor<3x2xf32>
  %2 = tgraph.add %0, %1 : tensor<3x2xf32>
  %3 = tgraph.relu %2 : tensor<3x2xf32>
  return %3 : tensor<3x2xf32>
}
