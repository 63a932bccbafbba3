// A quotient by a large number is multiplied out where it is compared: lanes are then as far apart as the divisor, and are
// compared in 64 bits where 32 are too few.
// RUN: tensor-run %s --no-cache --quiet --compare=interpreter --target=host:x86-64-v3 | FileCheck %s
// CHECK: compare  y with interpreter: max error 0
// CHECK: compare  z with interpreter: max error 0
func.func @main(%x: tensor<7xf32> {tgraph.name = "x"}) -> (tensor<11x8xf32> {tgraph.name = "y"}, tensor<11x16xf32> {tgraph.name = "z"}) {
  %y = tkernel.kernel @near (%i : 11, %j : 8) reads(%a = %x : tensor<7xf32>) -> tensor<11x8xf32> {
    %v = tkernel.load %a[(%i * 268435455 + 7) floordiv 268435456 + %j - 6] else 0.5 : tensor<7xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  %z = tkernel.kernel @far (%i : 11, %j : 16) reads(%a = %x : tensor<7xf32>) -> tensor<11x16xf32> {
    %v = tkernel.load %a[(%i * 268435455 + 7) floordiv 536870912 + %j - 3] else 0.5 : tensor<7xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y, %z : tensor<11x8xf32>, tensor<11x16xf32>
}
