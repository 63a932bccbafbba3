// Convolution, window 3 by 3, stride 2, padding 1. NCHW in and out, constant weights.
// sizes: n = 1, c = 64, f = 128, h = 56, w = 56, p = (h - 1) / 2 + 1, q = (w - 1) / 2 + 1
!X = tensor<1x64x56x56xf32> // [n, c, h, w]
!W = tensor<128x64x3x3xf32> // [f, c, 3, 3]
!Y = tensor<1x128x28x28xf32> // [n, f, p, q]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %w = tgraph.constant dense<0.125> : !W
  %y = tkernel.kernel @conv (%n : 1, %f : 128, %p : 28, %q : 28, %c : 64, %r : 3, %s : 3) reads(%in = %x : !X, %weights = %w : !W) -> !Y {
    %0 = tkernel.load %in[%n, %c, 2 * %p + %r - 1, 2 * %q + %s - 1] else 0.0 : !X
    %1 = tkernel.load %weights[%f, %c, %r, %s] : !W
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }
  return %y : !Y
}
