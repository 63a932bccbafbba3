// Attention: softmax over all keys.
// sizes: b = 1, h = 12, i = 512, j = 512, d = 64, e = 64
!Q = tensor<1x12x512x64xf32> // [b, h, i, d]
!K = tensor<1x12x512x64xf32> // [b, h, j, d]
!V = tensor<1x12x512x64xf32> // [b, h, j, e]
!O = tensor<1x12x512x64xf32> // [b, h, i, e]
func.func @main(%query: !Q {tgraph.name = "q"}, %key: !K {tgraph.name = "k"}, %value: !V {tgraph.name = "v"}) -> (!O {tgraph.name = "o"}) {
  %y = tkernel.kernel @attention (%b : 1, %h : 12, %i : 512, %j : 512, %d : 64, %e : 64) reads(%q = %query : !Q, %k = %key : !K, %v = %value : !V) -> !O {
    %0 = tkernel.load %q[%b, %h, %i, %d] {name = "query"} : !Q
    %1 = tkernel.load %k[%b, %h, %j, %d] {name = "key"} : !K
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %scale = arith.constant 0.125 : f32 // 0.125 = d ** -0.5
    %s = arith.mulf %s0, %scale : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %v[%b, %h, %j, %e] {name = "value"} : !V
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%b, %h, %i, %e] : f32
  }
  return %y : !O
}
