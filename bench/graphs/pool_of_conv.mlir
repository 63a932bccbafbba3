// Convolution (3 by 3, padding 1), then the largest of windows 3 by 3 (stride 2, padding 1).
// sizes: n = 1, c = 8, f = 16, h = 28, w = 28, p = (h - 1) / 2 + 1, q = (w - 1) / 2 + 1
!X = tensor<1x8x28x28xf32> // [n, c, h, w]
!W = tensor<16x8x3x3xf32> // [f, c, 3, 3]
!C = tensor<1x16x28x28xf32> // [n, f, h, w]
!Y = tensor<1x16x14x14xf32> // [n, f, p, q]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %w = tgraph.constant dense<0.125> : !W
  %c = tgraph.conv %x, %w strides [1, 1] dilations [1, 1] pad_low [1, 1] pad_high [1, 1] groups 1 : !X, !W -> !C
  %y = tgraph.window max %c window [1, 1, 3, 3] strides [1, 1, 2, 2] dilations [1, 1, 1, 1] pad_low [0, 0, 1, 1] pad_high [0, 0, 1, 1] : !C -> !Y
  return %y : !Y
}
