// A matrix transposed.
// sizes: i = 2048, j = 2048
!X = tensor<2048x2048xf32> // [i, j]
!Y = tensor<2048x2048xf32> // [j, i]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %y = tkernel.kernel @transpose (%i : 2048, %j : 2048) reads(%a = %x : !X) -> !Y {
    %v = tkernel.load %a[%i, %j] : !X
    tkernel.store %v, 0[%j, %i] : f32
  }
  return %y : !Y
}
