// Attention: each head of keys and values serves g heads of queries; causal.
// sizes: b = 1, h = 2, g = 4, i = 128, j = 640, d = 64, e = 64
!Q = tensor<1x8x128x64xf32> // [b, h * g, i, d]
!K = tensor<1x2x640x64xf32> // [b, h, j, d]
!V = tensor<1x2x640x64xf32> // [b, h, j, e]
!O = tensor<1x8x128x64xf32> // [b, h * g, i, e]
func.func @main(%query: !Q {tgraph.name = "q"}, %key: !K {tgraph.name = "k"}, %value: !V {tgraph.name = "v"}) -> (!O {tgraph.name = "o"}) {
  %y = tkernel.kernel @attention (%b : 1, %h : 2, %g : 4, %i : 128, %j : 640, %d : 64, %e : 64) reads(%q = %query : !Q, %k = %key : !K, %v = %value : !V) -> !O {
    %0 = tkernel.load %q[%b, 4 * %h + %g, %i, %d] {name = "query"} : !Q // 4 = g
    %1 = tkernel.load %k[%b, %h, %j, %d] {name = "key"} : !K
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %scale = arith.constant 0.125 : f32 // 0.125 = d ** -0.5
    %s1 = arith.mulf %s0, %scale : f32
    // The last query sees all keys, each one before it one key less.
    %last = affine.apply affine_map<(d0) -> (d0 + 512)>(%i) // 512 = j - i
    %seen = arith.cmpi sge, %last, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s1, %never : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %v[%b, %h, %j, %e] {name = "value"} : !V
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%b, 4 * %h + %g, %i, %e] : f32 // 4 = g
  }
  return %y : !O
}
