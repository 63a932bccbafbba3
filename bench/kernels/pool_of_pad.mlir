// The largest of windows 3 by 3 (stride 2, padding 1 with -inf) over an image padded by 1 with zeros:
// outside of the outer border -inf, outside of the inner one zero.
// sizes: n = 1, c = 64, h = 54, w = 54, p = (h + 1) / 2 + 1, q = (w + 1) / 2 + 1
!X = tensor<1x64x54x54xf32> // [n, c, h, w]
!Y = tensor<1x64x28x28xf32> // [n, c, p, q]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %y = tkernel.kernel @pool_of_pad (%n : 1, %c : 64, %p : 28, %q : 28, %r : 3, %s : 3) reads(%a = %x : !X) -> !Y {
    %v = tkernel.load %a through #tview.map<affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, 2 * d2 + d4 - 2, 2 * d3 + d5 - 2)>,
        [(d0, d1, d2, d3, d4, d5) : (2 * d2 + d4 - 1 ge 0, 2 * d3 + d5 - 1 ge 0,
          56 - 2 * d2 - d4 ge 0, // 56 = h + 2
          56 - 2 * d3 - d5 ge 0) else 0xFF800000 : f32], else 0.0 : f32>(%n, %c, %p, %q, %r, %s) : !X // 56 = w + 2
    %m = tkernel.reduce maximumf %v over (%r, %s) : f32
    tkernel.store %m, 0[%n, %c, %p, %q] : f32
  }
  return %y : !Y
}
