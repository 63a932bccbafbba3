// Running sums along rows.
// sizes: i = 4096, j = 1024
!X = tensor<4096x1024xf32> // [i, j]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!X {tgraph.name = "y"}) {
  %y = tkernel.kernel @cumsum (%i : 4096, %j : 1024) reads(%a = %x : !X) -> !X {
    %v = tkernel.load %a[%i, %j] : !X
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : !X
}
