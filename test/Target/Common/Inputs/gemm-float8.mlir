// A product of floats of 8 bits, both along the depth: sums in f32, results rounded to bf16.
!A = tensor<512x512xf8E4M3FN> // [m, k]
!B = tensor<512x512xf8E4M3FN> // [n, k]
!C = tensor<512x512xbf16> // [m, n]
func.func @main(%x: !A {tgraph.name = "a"}, %w: !B {tgraph.name = "b"}) -> (!C {tgraph.name = "c"}) {
  %y = tkernel.kernel @gemm (%m : 512, %n : 512, %k : 512) reads(%a = %x : !A, %b = %w : !B) -> !C {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : !A
    %1 = tkernel.load %b[%n, %k] {name = "rhs"} : !B
    %2 = tkernel.contract %0, %1 over (%k) : f8E4M3FN, f8E4M3FN -> f32
    %3 = arith.truncf %2 : f32 to bf16
    tkernel.store %3, 0[%m, %n] : bf16
  }
  return %y : !C
}
