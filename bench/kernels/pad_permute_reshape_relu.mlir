// Rows padded by one, transposed, read as rows of b, then ReLU: the axes are the common
// refinement of all shapes, so no index divides.
// sizes: a0 = 1024, a1 = 64, b = 16
!X = tensor<1022x1024xf32> // [a1 * b - 2, a0]
!Y = tensor<65536x16xf32> // [a0 * a1, b]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %y = tkernel.kernel @pad_permute_reshape_relu (%a0 : 1024, %a1 : 64, %b : 16) reads(%in = %x : !X) -> !Y {
    %0 = tkernel.load %in[16 * %a1 + %b - 1, %a0] else 0.0 : !X // 16 = b
    %zero = arith.constant 0.0 : f32
    %1 = arith.maximumf %0, %zero : f32
    tkernel.store %1, 0[64 * %a0 + %a1, %b] : f32 // 64 = a1
  }
  return %y : !Y
}
