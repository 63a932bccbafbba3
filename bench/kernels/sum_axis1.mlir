// The sum of each row of a matrix: over its columns.
// sizes: i = 4096, j = 4096
!X = tensor<4096x4096xf32> // [i, j]
!Y = tensor<4096xf32> // [i]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %y = tkernel.kernel @sum (%i : 4096, %j : 4096) reads(%a = %x : !X) -> !Y {
    %v = tkernel.load %a[%i, %j] : !X
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : !Y
}
