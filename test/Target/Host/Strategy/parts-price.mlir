// What combines the parts of a reduction is priced with a list of its own, as it will run.
// RUN: tensor-opt %s --host-print-prices -o /dev/null | FileCheck %s
// CHECK: {"in":"@main"
// CHECK-SAME: rfactor
func.func @main(%x: tensor<256x16384xf32>) -> tensor<16384xf32> {
  %0 = tkernel.kernel @reduce (%j : 16384, %i : 256) reads(%a = %x : tensor<256x16384xf32>) -> tensor<16384xf32> {
    %1 = tkernel.load %a[%i, %j] : tensor<256x16384xf32>
    %2 = tkernel.reduce addf %1 over (%i) {name = "sum"} : f32
    tkernel.store %2, 0[%j] : f32
  }
  return %0 : tensor<16384xf32>
}
