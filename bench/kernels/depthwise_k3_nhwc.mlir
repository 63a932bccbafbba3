// Depthwise convolution, window 3 by 3, padding 1. Channels last (NHWC) in and out, constant weights.
// sizes: n = 1, c = 96, h = 112, w = 112, p = h, q = w
!X = tensor<1x112x112x96xf32> // [n, h, w, c]
!W = tensor<96x1x3x3xf32> // [c, 1, 3, 3]
!Y = tensor<1x112x112x96xf32> // [n, p, q, c]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %w = tgraph.constant dense<0.125> : !W
  %y = tkernel.kernel @depthwise (%n : 1, %p : 112, %q : 112, %c : 96, %r : 3, %s : 3) reads(%in = %x : !X, %weights = %w : !W) -> !Y {
    %0 = tkernel.load %in[%n, %p + %r - 1, %q + %s - 1, %c] else 0.0 : !X
    %1 = tkernel.load %weights[%c, 0, %r, %s] : !W
    %2 = tkernel.contract %0, %1 over (%r, %s) : f32
    tkernel.store %2, 0[%n, %p, %q, %c] : f32
  }
  return %y : !Y
}
