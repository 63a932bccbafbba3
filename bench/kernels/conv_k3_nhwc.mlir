// Convolution, window 3 by 3, padding 1. Channels last (NHWC) in and out, constant weights.
// sizes: n = 1, c = 64, f = 64, h = 56, w = 56, p = h, q = w
!X = tensor<1x56x56x64xf32> // [n, h, w, c]
!W = tensor<64x64x3x3xf32> // [f, c, 3, 3]
!Y = tensor<1x56x56x64xf32> // [n, p, q, f]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %w = tgraph.constant dense<0.125> : !W
  %y = tkernel.kernel @conv (%n : 1, %p : 56, %q : 56, %f : 64, %r : 3, %s : 3, %c : 64) reads(%in = %x : !X, %weights = %w : !W) -> !Y {
    %0 = tkernel.load %in[%n, %p + %r - 1, %q + %s - 1, %c] else 0.0 : !X
    %1 = tkernel.load %weights[%f, %c, %r, %s] : !W
    %2 = tkernel.contract %0, %1 over (%r, %s, %c) : f32
    tkernel.store %2, 0[%n, %p, %q, %f] : f32
  }
  return %y : !Y
}
