// Largest element of windows 3 by 3, stride 2, padding 1 with -inf; NCHW.
// sizes: n = 1, c = 64, h = 112, w = 112, p = (h - 1) / 2 + 1, q = (w - 1) / 2 + 1
!X = tensor<1x64x112x112xf32> // [n, c, h, w]
!Y = tensor<1x64x56x56xf32> // [n, c, p, q]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %y = tkernel.kernel @max_pool (%n : 1, %c : 64, %p : 56, %q : 56, %r : 3, %s : 3) reads(%a = %x : !X) -> !Y {
    %v = tkernel.load %a[%n, %c, 2 * %p + %r - 1, 2 * %q + %s - 1] else 0xFF800000 : !X
    %m = tkernel.reduce maximumf %v over (%r, %s) : f32
    tkernel.store %m, 0[%n, %c, %p, %q] : f32
  }
  return %y : !Y
}
