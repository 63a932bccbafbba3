// Where the largest element of each row stands; the first one of equal ones.
// sizes: i = 4096, j = 32000
!X = tensor<4096x32000xf32> // [i, j]
!Y = tensor<4096xi64> // [i]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!Y {tgraph.name = "y"}) {
  %y = tkernel.kernel @argmax (%i : 4096, %j : 32000) reads(%a = %x : !X) -> !Y {
    %v = tkernel.load %a[%i, %j] : !X
    %p = arith.index_cast %j : index to i64
    %m:2 = tkernel.reduce %v, %p over (%j) identities [0xFF800000 : f32, 9223372036854775807 : i64] : f32, i64 {
    ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
      %more = arith.cmpf ogt, %v0, %a0 : f32
      %same = arith.cmpf oeq, %v0, %a0 : f32
      %before = arith.cmpi slt, %v1, %a1 : i64
      %first = arith.andi %same, %before : i1
      %take = arith.ori %more, %first : i1
      %r0 = arith.select %take, %v0, %a0 : f32
      %r1 = arith.select %take, %v1, %a1 : i64
      tkernel.yield %r0, %r1 : f32, i64
    }
    tkernel.store %m#1, 0[%i] : i64
  }
  return %y : !Y
}
