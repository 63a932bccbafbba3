// Depthwise convolution, window 5 by 5, padding 2. NCHW in and out, constant weights.
// sizes: n = 1, c = 576, h = 14, w = 14, p = h, q = w
!X = tensor<1x576x14x14xf32> // [n, c, h, w]
!W = tensor<576x1x5x5xf32> // [c, 1, 5, 5]
!Y = tensor<1x576x14x14xf32> // [n, c, p, q]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %w = tgraph.constant dense<0.125> : !W
  %y = tkernel.kernel @depthwise (%n : 1, %c : 576, %p : 14, %q : 14, %r : 5, %s : 5) reads(%in = %x : !X, %weights = %w : !W) -> !Y {
    %0 = tkernel.load %in[%n, %c, %p + %r - 2, %q + %s - 2] else 0.0 : !X
    %1 = tkernel.load %weights[%c, 0, %r, %s] : !W
    %2 = tkernel.contract %0, %1 over (%r, %s) : f32
    tkernel.store %2, 0[%n, %c, %p, %q] : f32
  }
  return %y : !Y
}
