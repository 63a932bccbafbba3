// A product of a matrix of unsigned bytes with a constant one of signed bytes, summed in 32 bits.
// sizes: m = 512, n = 512, k = 512
!A = tensor<512x512xui8> // [m, k]
!B = tensor<512x512xi8> // [k, n]
!C = tensor<512x512xi32> // [m, n]
func.func @main(%x: !A {tgraph.name = "a"}) -> (!C {tgraph.name = "c"}) {
  %w = tgraph.constant dense<2> : !B
  %y = tkernel.kernel @gemm (%m : 512, %n : 512, %k : 512) reads(%a = %x : !A, %b = %w : !B) -> !C {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : !A
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : !B
    %2 = tkernel.contract %0, %1 over (%k) lhs_unsigned : i8, i8 -> i32
    tkernel.store %2, 0[%m, %n] : i32
  }
  return %y : !C
}
