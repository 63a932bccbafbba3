// fuzz: tensor-compile -o /dev/null --target=amd:gfx942
!X = tensor<1x96x112x112xf32> // [n, c, h, w]
!W = tensor<96x1x0x0xf32> // [c, 1, 0, 0]
!Y = tensor<1x96x112x112xf32> // [n, c, p, q]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %w = tgraph.constant dense<0.125> : !W
  %y = tkernel.kernel @depthwise (%n : 1, %c : 96, %p : 112, %q : 112, %r : 0, %s : 0) reads(%in = %x : !X, %weights = %w : !W) -> !Y {
    %0 = tkernel.load %in[%n, %c, %p + %r - 1, %q + %s - 1] else 0.0 : !X
    %1 = tkernel.load %weights[%c, 0, %r, %s] : !W
    %2 = tkernel.contract %0, %1 over (%r, %s) : f32
    tkernel.store %2, 0[%n, %c, %p, %q] : f32
  }
  return %y : !Y
}
