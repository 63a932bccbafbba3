// A tensor without elements, and what a sum over none of them is.
func.func @main(%x: tensor<0x3xf32>) -> (tensor<0x3xf32> {tgraph.name = "y"}, tensor<3xf32> {tgraph.name = "sum"}) {
  %0 = tgraph.abs %x : tensor<0x3xf32>
  %1 = tgraph.reduce add %x dims [0] : tensor<0x3xf32> -> tensor<3xf32>
  return %0, %1 : tensor<0x3xf32>, tensor<3xf32>
}
