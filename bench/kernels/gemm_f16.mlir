// A product of two matrices of f16: sums in f32, results rounded to f16.
// sizes: m = 512, n = 512, k = 512
!A = tensor<512x512xf16> // [m, k]
!B = tensor<512x512xf16> // [k, n]
!C = tensor<512x512xf16> // [m, n]
func.func @main(%x: !A {tgraph.name = "a"}, %w: !B {tgraph.name = "b"}) -> (!C {tgraph.name = "c"}) {
  %y = tkernel.kernel @gemm (%m : 512, %n : 512, %k : 512) reads(%a = %x : !A, %b = %w : !B) -> !C {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : !A
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : !B
    %2 = tkernel.contract %0, %1 over (%k) : f16, f16 -> f32
    %3 = arith.truncf %2 : f32 to f16
    tkernel.store %3, 0[%m, %n] : f16
  }
  return %y : !C
}
