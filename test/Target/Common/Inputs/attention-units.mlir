// Attention of bf16 in one kernel: two heads of queries for each of keys, as many keys as are seen, lengths that no tile divides.
!Q = tensor<1x4x150x64xbf16> // [b, h * g, i, d]
!K = tensor<1x2x200x64xbf16> // [b, h, j, d]
!V = tensor<1x2x200x64xbf16> // [b, h, j, e]
!O = tensor<1x4x150x64xbf16> // [b, h * g, i, e]
func.func @main(%query: !Q {tgraph.name = "q"}, %key: !K {tgraph.name = "k"}, %value: !V {tgraph.name = "v"}) -> (!O {tgraph.name = "o"}) {
  %y = tkernel.kernel @attention (%b : 1, %h : 2, %g : 2, %i : 150, %j : 200, %d : 64, %e : 64) reads(%q = %query : !Q, %k = %key : !K, %v = %value : !V) -> !O attributes {schedule = #tkernel.schedule<[
     split i = [io, ii 64], split j = [jo, ji 32], split d = [do, di 64], split e = [eo, ei 64], grid [b, h, g, io], order [jo, do, eo], tile [di, ii, ji, ei], contract di dot, contract ji dot, warps 4,
     stage query as (ii, di) at grid local, stage key as (ji, di) at jo local, stage value as (ji, ei) at jo local, prefetch key 2, prefetch value 2, online jo, skip j]>} {
    %scale = arith.constant 0.125 : f32
    %0 = tkernel.load %q[%b, 2 * %h + %g, %i, %d] {name = "query"} : !Q
    %1 = tkernel.load %k[%b, %h, %j, %d] {name = "key"} : !K
    %s0 = tkernel.contract %0, %1 over (%d) : bf16, bf16 -> f32
    %s1 = arith.mulf %s0, %scale : f32
    // The last query sees all keys, each one before it one key less.
    %last = affine.apply affine_map<(d0) -> (d0 + 50)>(%i)
    %seen = arith.cmpi sge, %last, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s1, %never : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %w = arith.truncf %p : f32 to bf16
    %2 = tkernel.load %v[%b, %h, %j, %e] {name = "value"} : !V
    %o = tkernel.contract %w, %2 over (%j) : bf16, bf16 -> f32
    %r = arith.divf %o, %l : f32
    %c = arith.truncf %r : f32 to bf16
    tkernel.store %c, 0[%b, 2 * %h + %g, %i, %e] : bf16
  }
  return %y : !O
}
