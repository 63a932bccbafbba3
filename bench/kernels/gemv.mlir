// A row times a matrix: each element of the matrix is read once.
// sizes: n = 4096, k = 4096
!A = tensor<1x4096xf32> // [1, k]
!B = tensor<4096x4096xf32> // [k, n]
!C = tensor<1x4096xf32> // [1, n]
func.func @main(%x: !A {tgraph.name = "a"}, %w: !B {tgraph.name = "b"}) -> (!C {tgraph.name = "c"}) {
  %y = tkernel.kernel @gemv (%n : 4096, %k : 4096) reads(%a = %x : !A, %b = %w : !B) -> !C {
    %0 = tkernel.load %a[0, %k] {name = "lhs"} : !A
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : !B
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[0, %n] : f32
  }
  return %y : !C
}
