// Products that are denormal.
func.func @main(%x: tensor<4096xf32> {tgraph.name = "x"}) -> (tensor<4096xf32> {tgraph.name = "y"}) {
  %small = tgraph.constant dense<1.0e-40> : tensor<4096xf32>
  %y = tgraph.mul %x, %small : tensor<4096xf32>
  return %y : tensor<4096xf32>
}
