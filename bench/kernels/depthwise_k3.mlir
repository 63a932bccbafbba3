// Depthwise convolution, window 3 by 3, padding 1. NCHW in and out, constant weights.
// sizes: n = 1, c = 96, h = 112, w = 112, p = h, q = w
!X = tensor<1x96x112x112xf32> // [n, c, h, w]
!W = tensor<96x1x3x3xf32> // [c, 1, 3, 3]
!Y = tensor<1x96x112x112xf32> // [n, c, p, q]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %w = tgraph.constant dense<0.125> : !W
  %y = tkernel.kernel @depthwise (%n : 1, %c : 96, %p : 112, %q : 112, %r : 3, %s : 3) reads(%in = %x : !X, %weights = %w : !W) -> !Y {
    %0 = tkernel.load %in[%n, %c, %p + %r - 1, %q + %s - 1] else 0.0 : !X
    %1 = tkernel.load %weights[%c, 0, %r, %s] : !W
    %2 = tkernel.contract %0, %1 over (%r, %s) : f32
    tkernel.store %2, 0[%n, %c, %p, %q] : f32
  }
  return %y : !Y
}
