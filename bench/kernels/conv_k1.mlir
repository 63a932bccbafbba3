// Convolution, window 1 by 1: a product of matrices. NCHW in and out, constant weights.
// sizes: n = 1, c = 64, f = 256, h = 56, w = 56, p = h, q = w
!X = tensor<1x64x56x56xf32> // [n, c, h, w]
!W = tensor<256x64x1x1xf32> // [f, c, 1, 1]
!Y = tensor<1x256x56x56xf32> // [n, f, p, q]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %w = tgraph.constant dense<0.125> : !W
  %y = tkernel.kernel @conv (%n : 1, %f : 256, %p : 56, %q : 56, %c : 64) reads(%in = %x : !X, %weights = %w : !W) -> !Y {
    %0 = tkernel.load %in[%n, %c, %p, %q] : !X
    %1 = tkernel.load %weights[%f, %c, 0, 0] : !W
    %2 = tkernel.contract %0, %1 over (%c) : f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }
  return %y : !Y
}
