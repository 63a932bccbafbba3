// Running sums along rows, a thread per row.
!X = tensor<4096x1024xf32> // [i, j]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!X {tgraph.name = "y"}) {
  %y = tkernel.kernel @cumsum (%i : 4096, %j : 1024) reads(%a = %x : !X) -> !X attributes {schedule = #tkernel.schedule<[split i = [io, ii 128], grid [io], order [j], tile [ii], warps 4]>} {
    %v = tkernel.load %a[%i, %j] : !X
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : !X
}
