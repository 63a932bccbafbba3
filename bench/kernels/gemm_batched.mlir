// Many products of small matrices.
// sizes: b = 96, m = 128, n = 128, k = 64
!A = tensor<96x128x64xf32> // [b, m, k]
!B = tensor<96x64x128xf32> // [b, k, n]
!C = tensor<96x128x128xf32> // [b, m, n]
func.func @main(%x: !A {tgraph.name = "a"}, %w: !B {tgraph.name = "b"}) -> (!C {tgraph.name = "c"}) {
  %y = tkernel.kernel @gemm (%b : 96, %m : 128, %n : 128, %k : 64) reads(%lhs = %x : !A, %rhs = %w : !B) -> !C {
    %0 = tkernel.load %lhs[%b, %m, %k] {name = "lhs"} : !A
    %1 = tkernel.load %rhs[%b, %k, %n] {name = "rhs"} : !B
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%b, %m, %n] : f32
  }
  return %y : !C
}
