// RUN: tensor-opt %s --kernel-schedule=traits=lanes=8,registers=16,threads=1 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tensor-run %t.mlir --compare=interpreter --quiet

// Filters of a convolution that two small axes make, as before pixels are shuffled: a tile holds all of both.
// CHECK: @shuffled
// CHECK-SAME: grid [p], order [q_o, c, r, s], tile [l, k, q_l]
func.func @main(%x: tensor<32x24x24xf32>, %w: tensor<3x3x32x3x3xf32>) -> tensor<24x3x24x3xf32> {
  %y = tkernel.kernel @shuffled (%p : 24, %k : 3, %q : 24, %l : 3, %c : 32, %r : 3, %s : 3) reads(%a = %x : tensor<32x24x24xf32>, %b = %w : tensor<3x3x32x3x3xf32>) -> tensor<24x3x24x3xf32> {
    %0 = tkernel.load %a[%c, %p + %r - 1, %q + %s - 1] : tensor<32x24x24xf32>
    %1 = tkernel.load %b[%k, %l, %c, %r, %s] : tensor<3x3x32x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%p, %k, %q, %l] : f32
  }
  return %y : tensor<24x3x24x3xf32>
}
