// Convolution (3 by 3, padding 1 with zeros), then the largest of windows 3 by 3 (stride 2, padding 1
// with -inf), in one kernel: elements outside of the convolution count as -inf.
// sizes: n = 1, c = 8, f = 16, h = 28, w = 28, p = (h - 1) / 2 + 1, q = (w - 1) / 2 + 1
!X = tensor<1x8x28x28xf32> // [n, c, h, w]
!W = tensor<16x8x3x3xf32> // [f, c, 3, 3]
!Y = tensor<1x16x14x14xf32> // [n, f, p, q]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %w = tgraph.constant dense<0.125> : !W
  %y = tkernel.kernel @pool_of_conv (%n : 1, %f : 16, %p : 14, %q : 14, %u : 3, %v : 3, %c : 8, %r : 3, %s : 3) reads(%in = %x : !X, %weights = %w : !W) -> !Y {
    %0 = tkernel.load %in[%n, %c, 2 * %p + %u + %r - 2, 2 * %q + %v + %s - 2] else 0.0 : !X
    %1 = tkernel.load %weights[%f, %c, %r, %s] : !W
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    %row = affine.apply affine_map<(d0, d1) -> (2 * d0 + d1 - 1)>(%p, %u)
    %column = affine.apply affine_map<(d0, d1) -> (2 * d0 + d1 - 1)>(%q, %v)
    %zero = arith.constant 0 : index
    %height = arith.constant 28 : index // 28 = h
    %width = arith.constant 28 : index // 28 = w
    %c0 = arith.cmpi sge, %row, %zero : index
    %c1 = arith.cmpi slt, %row, %height : index
    %c2 = arith.cmpi sge, %column, %zero : index
    %c3 = arith.cmpi slt, %column, %width : index
    %c01 = arith.andi %c0, %c1 : i1
    %c23 = arith.andi %c2, %c3 : i1
    %inside = arith.andi %c01, %c23 : i1
    %never = arith.constant 0xFF800000 : f32
    %3 = arith.select %inside, %2, %never : f32
    %m = tkernel.reduce maximumf %3 over (%u, %v) : f32
    tkernel.store %m, 0[%n, %f, %p, %q] : f32
  }
  return %y : !Y
}
