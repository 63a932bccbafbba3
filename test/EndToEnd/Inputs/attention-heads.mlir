// Attention with a mask, whose results have the heads of a query beside each other: programs have all heads of one query, and go through blocks of keys and of values.
!X = tensor<64x4x32xf32> // [i, h, d]
func.func @main(%query: !X {tgraph.name = "q"}, %key: !X {tgraph.name = "k"}, %value: !X {tgraph.name = "v"}, %mask: tensor<64xf32> {tgraph.name = "m"}) -> (!X {tgraph.name = "o"}) {
  %y = tkernel.kernel @attention (%i : 64, %h : 4, %j : 64, %d : 32, %e : 32) reads(%q = %query : !X, %k = %key : !X, %v = %value : !X, %b = %mask : tensor<64xf32>) -> !X {
    %0 = tkernel.load %q[%i, %h, %d] {name = "query"} : !X
    %1 = tkernel.load %k[%j, %h, %d] {name = "key"} : !X
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %scale = arith.constant 0.125 : f32
    %s1 = arith.mulf %s0, %scale : f32
    %2 = tkernel.load %b[%j] : tensor<64xf32>
    %s = arith.addf %s1, %2 : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %3 = tkernel.load %v[%j, %h, %e] {name = "value"} : !X
    %o = tkernel.contract %p, %3 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %h, %e] : f32
  }
  return %y : !X
}
