// RUN: tensor-compile %s --target=host:x86-64-v4 --option=threads=1 --explain -o %t.twm | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet
// RUN: tensor-run %s --compare=interpreter --quiet --target=host:x86-64-v3

// Of taps as far apart as tiles are long, whole tiles of pixels see some only: loops over the taps, begun and ended for each
// tile, are around the one over channels.
// CHECK:         order [{{.*}}r, s, c]
// CHECK:         tile [q_r,
// CHECK:         skip r
// CHECK:         skip s
// CHECK:         strategy convolution
func.func @main(%x: tensor<1x64x32x32xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x32x32xf32> {
  %y = tkernel.kernel @far (%n : 1, %f : 64, %p : 32, %q : 32, %c : 64, %r : 3, %s : 3) reads(%in = %x : tensor<1x64x32x32xf32>, %weights = %w : tensor<64x64x3x3xf32>) -> tensor<1x64x32x32xf32> {
    %0 = tkernel.load %in[%n, %c, %p + %r * 13 - 13, %q + %s * 13 - 13] else 0.0 : tensor<1x64x32x32xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<64x64x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }
  return %y : tensor<1x64x32x32xf32>
}
