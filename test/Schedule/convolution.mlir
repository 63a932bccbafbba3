// RUN: tensor-opt %s --kernel-schedule | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// Channels along lanes, their weights packed; pixels of a row, or of several short rows, in the tile; the input
// through a window.
// CHECK-LABEL: func.func @main
// CHECK: @wide {{.*}} tile [q_r, f], stage weights as (c, r, s, f) at kernel global, stage input window at grid local
// CHECK: @short {{.*}} tile [p_r, q, f
func.func @main(%x: tensor<2x5x19x37xf32>, %w: tensor<70x5x3x3xf32>, %v: tensor<32x70x3x3xf32>) -> tensor<2x32x10x7xf32> {
  %y = tkernel.kernel @wide (%n : 2, %f : 70, %p : 19, %q : 37, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<2x5x19x37xf32>, %weights = %w : tensor<70x5x3x3xf32>) -> tensor<2x70x19x37xf32> {
    %0 = tkernel.load %in[%n, %c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<2x5x19x37xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] : tensor<70x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }
  %z = tkernel.kernel @short (%n : 2, %f : 32, %p : 10, %q : 7, %c : 70, %r : 3, %s : 3) reads(%in = %y : tensor<2x70x19x37xf32>, %weights = %v : tensor<32x70x3x3xf32>) -> tensor<2x32x10x7xf32> {
    %0 = tkernel.load %in[%n, %c, %p * 2 + %r - 1, %q * 5 + %s] else 0.0 : tensor<2x70x19x37xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] : tensor<32x70x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }
  return %z : tensor<2x32x10x7xf32>
}
