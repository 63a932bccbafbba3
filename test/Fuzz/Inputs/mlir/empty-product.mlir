// fuzz: tensor-compile -o /dev/null --target=host:x86-64-v3
!A = tensor<0x0xui8> // [m, k]
!B = tensor<0x0xi8> // [k, n]
!C = tensor<0x0xi32> // [m, n]
func.func @main(%x: !A {tgraph.name = "a"}) -> (!C {tgraph.name = "c"}) {
  %w = tgraph.constant dense<2> : !B
  %y = tkernel.kernel @gemm (%m : 0, %n : 0, %k : 0) reads(%a = %x : !A, %b = %w : !B) -> !C {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : !A
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : !B
    %2 = tkernel.contract %0, %1 over (%k) lhs_unsigned : i8, i8 -> i32
    tkernel.store %2, 0[%m, %n] : i32
  }
  return %y : !C
}
