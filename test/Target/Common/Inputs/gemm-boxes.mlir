// A batch of products of f16 whose operands boxes of tensors bring: of three dimensions for the left one, of four for the right one, whose rows are in
// parts of 64 columns; rows and depth that the tiles do not divide.
!A = tensor<2x130x104xf16>
!B = tensor<2x104x128xf16>
!C = tensor<2x130x128xf16>
func.func @main(%x: !A {tgraph.name = "a"}, %w: !B {tgraph.name = "b"}) -> (!C {tgraph.name = "c"}) {
  %y = tkernel.kernel @gemm (%b : 2, %m : 130, %n : 128, %k : 104) reads(%a = %x : !A, %o = %w : !B) -> !C attributes {schedule = #tkernel.schedule<[
     split m = [mo, mi 64], split n = [no, ni 128], split k = [ko, ki 64], grid [b, mo, no], order [ko], tile [ki, mi, ni], contract ki dot, warps 4,
     stage lhs as (mi, ki) at ko local, stage rhs as (ki, ni) at ko local, prefetch lhs 1, prefetch rhs 1, edge k pad]>} {
    %0 = tkernel.load %a[%b, %m, %k] {name = "lhs"} : !A
    %1 = tkernel.load %o[%b, %k, %n] {name = "rhs"} : !B
    %2 = tkernel.contract %0, %1 over (%k) : f16, f16 -> f32
    %3 = arith.truncf %2 : f32 to f16
    tkernel.store %3, 0[%b, %m, %n] : f16
  }
  return %y : !C
}
