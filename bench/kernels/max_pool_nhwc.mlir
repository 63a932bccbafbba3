// Largest element of windows 3 by 3, stride 2, padding 1 with -inf; channels last (NHWC).
// sizes: n = 1, c = 64, h = 112, w = 112, p = (h - 1) / 2 + 1, q = (w - 1) / 2 + 1
!X = tensor<1x112x112x64xf32> // [n, h, w, c]
!Y = tensor<1x56x56x64xf32> // [n, p, q, c]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %y = tkernel.kernel @max_pool (%n : 1, %p : 56, %q : 56, %c : 64, %r : 3, %s : 3) reads(%a = %x : !X) -> !Y {
    %v = tkernel.load %a[%n, 2 * %p + %r - 1, 2 * %q + %s - 1, %c] else 0xFF800000 : !X
    %m = tkernel.reduce maximumf %v over (%r, %s) : f32
    tkernel.store %m, 0[%n, %p, %q, %c] : f32
  }
  return %y : !Y
}
