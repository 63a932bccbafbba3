// Softmax over rows of bf16, computed in f32.
// sizes: i = 1024, j = 4096
!X = tensor<1024x4096xbf16> // [i, j]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!X {tgraph.name = "y"}) {
  %y = tkernel.kernel @softmax (%i : 1024, %j : 4096) reads(%a = %x : !X) -> !X {
    %h = tkernel.load %a[%i, %j] : !X
    %v = arith.extf %h : bf16 to f32
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    %r = arith.truncf %q : f32 to bf16
    tkernel.store %r, 0[%i, %j] : bf16
  }
  return %y : !X
}
