// A product of a matrix of bf16 with a constant one: sums in f32, results rounded to bf16.
// sizes: m = 512, n = 512, k = 512
!A = tensor<512x512xbf16> // [m, k]
!B = tensor<512x512xbf16> // [k, n]
!C = tensor<512x512xbf16> // [m, n]
func.func @main(%x: !A {tgraph.name = "a"}) -> (!C {tgraph.name = "c"}) {
  %w = tgraph.constant dense<0.5> : !B
  %y = tkernel.kernel @gemm (%m : 512, %n : 512, %k : 512) reads(%a = %x : !A, %b = %w : !B) -> !C {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : !A
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : !B
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    %3 = arith.truncf %2 : f32 to bf16
    tkernel.store %3, 0[%m, %n] : bf16
  }
  return %y : !C
}
