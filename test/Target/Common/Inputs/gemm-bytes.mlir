// A product of unsigned and signed bytes by matrix units, whose operands go through rings of three buffers; sizes that fit nothing. Both lie
// along the depth.
!A = tensor<200x208xui8>
!B = tensor<77x208xi8>
!C = tensor<200x77xi32>
func.func @main(%x: !A {tgraph.name = "a"}, %w: !B {tgraph.name = "b"}) -> (!C {tgraph.name = "c"}) {
  %y = tkernel.kernel @gemm (%m : 200, %n : 77, %k : 208) reads(%a = %x : !A, %b = %w : !B) -> !C attributes {schedule = #tkernel.schedule<[
     split m = [mo, mi 64], split n = [no, ni 32], split k = [ko, ki 64], grid [mo, no], order [ko], tile [ki, mi, ni], contract ki dot, warps 4,
     stage lhs as (mi, ki) at ko local, stage rhs as (ni, ki) at ko local, prefetch lhs 2, prefetch rhs 2, edge k pad]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : !A
    %1 = tkernel.load %b[%n, %k] {name = "rhs"} : !B
    %2 = tkernel.contract %0, %1 over (%k) lhs_unsigned : i8, i8 -> i32
    tkernel.store %2, 0[%m, %n] : i32
  }
  return %y : !C
}
