// Softmax over rows of 4096, as one kernel. Without a schedule: the target's default is used.
// sizes: i = 1024, j = 4096
!X = tensor<1024x4096xf32> // [i, j]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!X {tgraph.name = "y"}) {
  %y = tkernel.kernel @softmax (%i : 1024, %j : 4096) reads(%a = %x : !X) -> !X {
    %v = tkernel.load %a[%i, %j] : !X
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : !X
}
