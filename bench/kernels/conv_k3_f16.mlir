// Convolution of f16, window 3 by 3, padding 1: sums in f32, results rounded. NCHW in and out, constant
// weights.
// sizes: n = 1, c = 64, f = 64, h = 56, w = 56, p = h, q = w
!X = tensor<1x64x56x56xf16> // [n, c, h, w]
!W = tensor<64x64x3x3xf16> // [f, c, 3, 3]
!Y = tensor<1x64x56x56xf16> // [n, f, p, q]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %w = tgraph.constant dense<0.125> : !W
  %y = tkernel.kernel @conv (%n : 1, %f : 64, %p : 56, %q : 56, %c : 64, %r : 3, %s : 3) reads(%in = %x : !X, %weights = %w : !W) -> !Y {
    %0 = tkernel.load %in[%n, %c, %p + %r - 1, %q + %s - 1] else 0.0 : !X
    %1 = tkernel.load %weights[%f, %c, %r, %s] : !W
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f16, f16 -> f32
    %3 = arith.truncf %2 : f32 to f16
    tkernel.store %3, 0[%n, %f, %p, %q] : f16
  }
  return %y : !Y
}
