// RUN: tensor-opt %s --host-print-prices -o /dev/null | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// Channels along lanes, their weights packed; pixels of a row, or of several short rows, in the tile; the input
// through a window. Taps in lines beyond the border are left out, and columns where a tile holds all of a line. Channels
// that do not fill their last vector are filled with zeros, but where they are fewer than lanes.
// CHECK-LABEL: @main
// CHECK: @wide{{.*}} tile [q_r, f_l], stage weights as (f_o, c, r, s, f_l) at kernel global, stage input window at grid local, skip r, {{.*}}edge f pad
// CHECK: @short{{.*}} tile [p_r, q, f
// CHECK: @narrow{{.*}} order [{{.*}}s, c, r], tile [q, f_l], stage weights as (f_o, s, c, r, f_l) at kernel global, {{.*}} unroll s, skip r, skip s
func.func @main(%x: tensor<2x5x19x37xf32>, %w: tensor<70x5x3x3xf32>, %v: tensor<32x70x3x3xf32>, %u: tensor<64x32x3x3xf32>) -> tensor<2x64x9x7xf32> {
  %y = tkernel.kernel @wide (%n : 2, %f : 70, %p : 19, %q : 37, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<2x5x19x37xf32>, %weights = %w : tensor<70x5x3x3xf32>) -> tensor<2x70x19x37xf32> {
    %0 = tkernel.load %in[%n, %c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<2x5x19x37xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<70x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }
  %z = tkernel.kernel @short (%n : 2, %f : 32, %p : 9, %q : 7, %c : 70, %r : 3, %s : 3) reads(%in = %y : tensor<2x70x19x37xf32>, %weights = %v : tensor<32x70x3x3xf32>) -> tensor<2x32x9x7xf32> {
    %0 = tkernel.load %in[%n, %c, %p * 2 + %r, %q * 5 + %s] else 0.0 : tensor<2x70x19x37xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<32x70x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }
  %t = tkernel.kernel @narrow (%n : 2, %f : 64, %p : 9, %q : 7, %c : 32, %r : 3, %s : 3) reads(%in = %z : tensor<2x32x9x7xf32>, %weights = %u : tensor<64x32x3x3xf32>) -> tensor<2x64x9x7xf32> {
    %0 = tkernel.load %in[%n, %c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<2x32x9x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<64x32x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }
  return %t : tensor<2x64x9x7xf32>
}
