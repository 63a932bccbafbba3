// Layer norm over rows, with scale and shift.
// sizes: i = 4096, j = 768
!X = tensor<4096x768xf32> // [i, j]
!V = tensor<768xf32> // [j]
func.func @main(%x: !X {tgraph.name = "x"}, %scale: !V {tgraph.name = "scale"}, %shift: !V {tgraph.name = "shift"}) -> (!X {tgraph.name = "y"}) {
  %y = tkernel.kernel @layer_norm (%i : 4096, %j : 768) reads(%a = %x : !X, %g = %scale : !V, %b = %shift : !V) -> !X {
    %v = tkernel.load %a[%i, %j] : !X
    %count = arith.constant 768.0 : f32 // 768.0 = j
    %eps = arith.constant 1.0e-05 : f32
    %s = tkernel.reduce addf %v over (%j) : f32
    %mean = arith.divf %s, %count : f32
    %d = arith.subf %v, %mean : f32
    %d2 = arith.mulf %d, %d : f32
    %s2 = tkernel.reduce addf %d2 over (%j) : f32
    %variance = arith.divf %s2, %count : f32
    %above = arith.addf %variance, %eps : f32
    %r = math.rsqrt %above : f32
    %n = arith.mulf %d, %r : f32
    %0 = tkernel.load %g[%j] : !V
    %1 = arith.mulf %n, %0 : f32
    %2 = tkernel.load %b[%j] : !V
    %3 = arith.addf %1, %2 : f32
    tkernel.store %3, 0[%i, %j] : f32
  }
  return %y : !X
}
