// A product of bf16 with a bias and a GELU by the error function, whose sums take half of the registers that a thread has.
!A = tensor<4096x768xbf16>
!W = tensor<768x3072xbf16>
!Bias = tensor<3072xbf16>
!C = tensor<4096x3072xbf16>
func.func @main(%x: !A {tgraph.name = "a"}, %w: !W {tgraph.name = "b"}, %bias: !Bias {tgraph.name = "bias"}) -> (!C {tgraph.name = "c"}) {
  %y = tkernel.kernel @gemm_gelu (%m : 4096, %n : 3072, %k : 768) reads(%a = %x : !A, %b = %w : !W, %bi = %bias : !Bias) -> !C {
    %l = tkernel.load %a[%m, %k] {name = "lhs"} : !A
    %r = tkernel.load %b[%k, %n] {name = "rhs"} : !W
    %s = tkernel.contract %l, %r over (%k) : bf16, bf16 -> f32
    %c = tkernel.load %bi[%n] : !Bias
    %d = arith.extf %c : bf16 to f32
    %v = arith.addf %s, %d : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.707106769 : f32
    %0 = arith.mulf %v, %root : f32
    %1 = math.erf %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.mulf %v, %half : f32
    %4 = arith.mulf %3, %2 : f32
    %5 = arith.truncf %4 : f32 to bf16
    tkernel.store %5, 0[%m, %n] : bf16
  }
  return %y : !C
}
