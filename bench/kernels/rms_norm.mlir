// RMS norm over rows, with scale.
// sizes: i = 4096, j = 1024
!X = tensor<4096x1024xf32> // [i, j]
!V = tensor<1024xf32> // [j]
func.func @main(%x: !X {tgraph.name = "x"}, %scale: !V {tgraph.name = "scale"}) -> (!X {tgraph.name = "y"}) {
  %y = tkernel.kernel @rms_norm (%i : 4096, %j : 1024) reads(%a = %x : !X, %g = %scale : !V) -> !X {
    %v = tkernel.load %a[%i, %j] : !X
    %count = arith.constant 1024.0 : f32 // 1024.0 = j
    %eps = arith.constant 1.0e-05 : f32
    %v2 = arith.mulf %v, %v : f32
    %s2 = tkernel.reduce addf %v2 over (%j) : f32
    %mean = arith.divf %s2, %count : f32
    %above = arith.addf %mean, %eps : f32
    %r = math.rsqrt %above : f32
    %n = arith.mulf %v, %r : f32
    %0 = tkernel.load %g[%j] : !V
    %1 = arith.mulf %n, %0 : f32
    tkernel.store %1, 0[%i, %j] : f32
  }
  return %y : !X
}
