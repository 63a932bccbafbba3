// Two products in one sweep of which nothing reads the sums of the second one but its next step, with subgroups that only load.
!Q = tensor<1x4x150x64xbf16>
!K = tensor<1x2x224x64xbf16>
!V = tensor<1x2x224x64xbf16>
!O = tensor<1x4x150x64xbf16>
func.func @main(%query: !Q {tgraph.name = "q"}, %key: !K {tgraph.name = "k"}, %value: !V {tgraph.name = "v"}) -> (!O {tgraph.name = "o"}) {
  %y = tkernel.kernel @attention (%b : 1, %h : 2, %g : 2, %i : 150, %j : 224, %d : 64, %e : 64) reads(%q = %query : !Q, %k = %key : !K, %v = %value : !V) -> !O attributes {schedule = #tkernel.schedule<[
     split i = [io, ii 64], split j = [jo, ji 32], split d = [do, di 64], split e = [eo, ei 64], grid [b, h, g, io], order [jo, do, eo], tile [di, ii, ji, ei], contract di dot, contract ji dot, warps 4 loading 1,
     stage query as (ii, di) at grid local, stage key as (ji, di) at jo local, stage value as (ji, ei) at jo local, prefetch key 2, prefetch value 2]>} {
    %scale = arith.constant 0.125 : f32
    %0 = tkernel.load %q[%b, 2 * %h + %g, %i, %d] {name = "query"} : !Q
    %1 = tkernel.load %k[%b, %h, %j, %d] {name = "key"} : !K
    %s0 = tkernel.contract %0, %1 over (%d) : bf16, bf16 -> f32
    %p = arith.mulf %s0, %scale : f32
    %w = arith.truncf %p : f32 to bf16
    %2 = tkernel.load %v[%b, %h, %j, %e] {name = "value"} : !V
    %o = tkernel.contract %w, %2 over (%j) : bf16, bf16 -> f32
    %c = arith.truncf %o : f32 to bf16
    tkernel.store %c, 0[%b, 2 * %h + %g, %i, %e] : bf16
  }
  return %y : !O
}
