// Few results of a long sum, in two kernels: parts of the sum side by side, then their sum, a bias and
// ReLU.
// sizes: m = 64, n = 64, k = 1024, parts = 4
!A = tensor<64x4096xf32> // [m, k * parts]
!B = tensor<4096x64xf32> // [k * parts, n]
!V = tensor<64xf32> // [n]
!P = tensor<4x64x64xf32> // [parts, m, n]
!C = tensor<64x64xf32> // [m, n]
func.func @main(%x: !A {tgraph.name = "a"}, %w: !B {tgraph.name = "b"}, %v: !V {tgraph.name = "bias"}) -> (!C {tgraph.name = "c"}) {
  %y = tkernel.kernel @parts (%parts : 4, %m : 64, %n : 64, %k : 1024) reads(%a = %x : !A, %b = %w : !B) -> !P {
    %0 = tkernel.load %a[%m, %parts * 1024 + %k] {name = "lhs"} : !A // 1024 = k
    %1 = tkernel.load %b[%parts * 1024 + %k, %n] {name = "rhs"} : !B // 1024 = k
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%parts, %m, %n] : f32
  }
  %z = tkernel.kernel @sum (%m : 64, %n : 64, %parts : 4) reads(%a = %y : !P, %bias = %v : !V) -> !C {
    %0 = tkernel.load %a[%parts, %m, %n] : !P
    %1 = tkernel.reduce addf %0 over (%parts) : f32
    %2 = tkernel.load %bias[%n] : !V
    %3 = arith.addf %1, %2 : f32
    %zero = arith.constant 0.0 : f32
    %4 = arith.maximumf %3, %zero : f32
    tkernel.store %4, 0[%m, %n] : f32
  }
  return %z : !C
}
