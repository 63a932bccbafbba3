// Between its two kernels lies a tensor of 160 MiB.
func.func @main(%x: tensor<1x40960xf32>, %y: tensor<1024x1xf32>) -> (tensor<1024xf32> {tgraph.name = "y"}) {
  %0 = tgraph.expand %x : tensor<1x40960xf32> -> tensor<1024x40960xf32>
  %1 = tgraph.expand %y : tensor<1024x1xf32> -> tensor<1024x40960xf32>
  %2 = tgraph.mul %0, %1 : tensor<1024x40960xf32>
  %3 = tgraph.scan add %2 dim 0 : tensor<1024x40960xf32>
  %4 = tgraph.reduce max %3 dims [1] : tensor<1024x40960xf32> -> tensor<1024xf32>
  return %4 : tensor<1024xf32>
}
