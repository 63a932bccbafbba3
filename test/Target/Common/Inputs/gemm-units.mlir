// A product of bf16 by matrix units, whose operands go through rings of three buffers; sizes that fit nothing.
!A = tensor<200x200xbf16>
!B = tensor<200x77xbf16>
!C = tensor<200x77xbf16>
func.func @main(%x: !A {tgraph.name = "a"}, %w: !B {tgraph.name = "b"}) -> (!C {tgraph.name = "c"}) {
  %y = tkernel.kernel @gemm (%m : 200, %n : 77, %k : 200) reads(%a = %x : !A, %b = %w : !B) -> !C attributes {schedule = #tkernel.schedule<[
     split m = [mo, mi 128], split n = [no, ni 128], split k = [ko, ki 32], grid [mo, no], order [ko], tile [ki, mi, ni], contract ki dot, warps 4,
     stage lhs as (mi, ki) at ko local, stage rhs as (ki, ni) at ko local, prefetch lhs 2, prefetch rhs 2, edge k pad]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : !A
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : !B
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    %3 = arith.truncf %2 : f32 to bf16
    tkernel.store %3, 0[%m, %n] : bf16
  }
  return %y : !C
}
