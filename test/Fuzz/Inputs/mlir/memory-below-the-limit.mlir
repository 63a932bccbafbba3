// fuzz: tensor-opt --interpret --verify-diagnostics
func.func @main() -> tensor<2147483647xi32> {
  %y = tkernel.kernel (%i : 2147483647) reads() -> tensor<2147483647xi32> {
    %c = arith.constant 7 : i32
    %v = arith.index_cast %i : index to i32
    %q = arith.divsi %c, %v : i32
    tkernel.store %q, 0[%i] : i32
  }
  return %y : tensor<2147483647xi32>
}
