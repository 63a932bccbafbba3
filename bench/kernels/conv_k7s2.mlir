// Convolution, window 7 by 7, stride 2, padding 3. NCHW in and out, constant weights.
// sizes: n = 1, c = 3, f = 64, h = 224, w = 224, p = (h - 1) / 2 + 1, q = (w - 1) / 2 + 1
!X = tensor<1x3x224x224xf32> // [n, c, h, w]
!W = tensor<64x3x7x7xf32> // [f, c, 7, 7]
!Y = tensor<1x64x112x112xf32> // [n, f, p, q]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %w = tgraph.constant dense<0.125> : !W
  %y = tkernel.kernel @conv (%n : 1, %f : 64, %p : 112, %q : 112, %c : 3, %r : 7, %s : 7) reads(%in = %x : !X, %weights = %w : !W) -> !Y {
    %0 = tkernel.load %in[%n, %c, 2 * %p + %r - 3, 2 * %q + %s - 3] else 0.0 : !X
    %1 = tkernel.load %weights[%f, %c, %r, %s] : !W
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }
  return %y : !Y
}
