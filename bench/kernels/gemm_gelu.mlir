// A product of two matrices, then a bias and GELU by tanh on the register tile.
// sizes: m = 512, n = 512, k = 512
!A = tensor<512x512xf32> // [m, k]
!B = tensor<512x512xf32> // [k, n]
!V = tensor<512xf32> // [n]
!C = tensor<512x512xf32> // [m, n]
func.func @main(%x: !A {tgraph.name = "a"}, %w: !B {tgraph.name = "b"}, %v: !V {tgraph.name = "bias"}) -> (!C {tgraph.name = "c"}) {
  %y = tkernel.kernel @gemm_gelu (%m : 512, %n : 512, %k : 512) reads(%a = %x : !A, %b = %w : !B, %bias = %v : !V) -> !C {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : !A
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : !B
    %2 = tkernel.contract %0, %1 over (%k) : f32
    %3 = tkernel.load %bias[%n] : !V
    %z = arith.addf %2, %3 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.797884583 : f32
    %cubic = arith.constant 4.471500e-02 : f32
    %z2 = arith.mulf %z, %z : f32
    %z3 = arith.mulf %z2, %z : f32
    %s = arith.mulf %z3, %cubic : f32
    %t = arith.addf %z, %s : f32
    %u = arith.mulf %t, %root : f32
    %h = math.tanh %u : f32
    %p = arith.addf %h, %one : f32
    %q = arith.mulf %z, %half : f32
    %r = arith.mulf %q, %p : f32
    tkernel.store %r, 0[%m, %n] : f32
  }
  return %y : !C
}
