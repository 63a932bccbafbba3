// A product of two matrices, the first one transposed in memory.
// sizes: m = 512, n = 512, k = 512
!A = tensor<512x512xf32> // [k, m]
!B = tensor<512x512xf32> // [k, n]
!C = tensor<512x512xf32> // [m, n]
func.func @main(%x: !A {tgraph.name = "a"}, %w: !B {tgraph.name = "b"}) -> (!C {tgraph.name = "c"}) {
  %y = tkernel.kernel @gemm (%m : 512, %n : 512, %k : 512) reads(%a = %x : !A, %b = %w : !B) -> !C {
    %0 = tkernel.load %a[%k, %m] {name = "lhs"} : !A
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : !B
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : !C
}
