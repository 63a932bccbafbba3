// Softmax over rows of bf16, computed in f32.
// sizes: i = 1024, j = 4096
!X = tensor<1024x4096xbf16> // [i, j]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!X {tgraph.name = "y"}) {
  %y = tgraph.softmax %x dim 1 : !X
  return %y : !X
}
