// The sum of each column of a matrix: over its rows.
// sizes: i = 4096, j = 4096
!X = tensor<4096x4096xf32> // [i, j]
!Y = tensor<4096xf32> // [j]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %y = tkernel.kernel @sum (%i : 4096, %j : 4096) reads(%a = %x : !X) -> !Y {
    %v = tkernel.load %a[%i, %j] : !X
    %s = tkernel.reduce addf %v over (%i) : f32
    tkernel.store %s, 0[%j] : f32
  }
  return %y : !Y
}
