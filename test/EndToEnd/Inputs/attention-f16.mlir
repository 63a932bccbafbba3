// Attention of f16: scores and sums in f32, weights rounded to f16.
!Q = tensor<1x3x37x19xf16>
func.func @main(%q: !Q {tgraph.name = "q"}, %k: !Q {tgraph.name = "k"}, %v: !Q {tgraph.name = "v"}) -> (!Q {tgraph.name = "o"}) {
  %y = tkernel.kernel @attention (%b : 1, %h : 3, %i : 37, %j : 37, %d : 19, %e : 19) reads(%qq = %q : !Q, %kk = %k : !Q, %vv = %v : !Q) -> !Q {
    %scale = arith.constant 0.125 : f32
    %0 = tkernel.load %qq[%b, %h, %i, %d] : !Q
    %1 = tkernel.load %kk[%b, %h, %j, %d] : !Q
    %2 = tkernel.contract %0, %1 over (%d) : f16, f16 -> f32
    %3 = arith.mulf %2, %scale : f32
    %4 = tkernel.reduce maximumf %3 over (%j) : f32
    %5 = arith.subf %3, %4 : f32
    %6 = math.exp %5 : f32
    %7 = tkernel.reduce addf %6 over (%j) : f32
    %8 = arith.truncf %6 : f32 to f16
    %9 = tkernel.load %vv[%b, %h, %j, %e] : !Q
    %10 = tkernel.contract %8, %9 over (%j) : f16, f16 -> f32
    %11 = arith.divf %10, %7 : f32
    %12 = arith.truncf %11 : f32 to f16
    tkernel.store %12, 0[%b, %h, %i, %e] : f16
  }
  return %y : !Q
}
