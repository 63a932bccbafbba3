// RUN: tensor-compile %s --target=host:x86-64-v4 --option=threads=1 --explain -o %t.twm | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// Of few channels loops over taps around the one over channels cost more than taps that are left out.
// CHECK-NOT: order [{{.*}}r, s, c]
// CHECK:     strategy convolution
func.func @main(%x: tensor<1x16x20x20xf32>, %w: tensor<16x16x7x7xf32>) -> tensor<1x16x20x20xf32> {
  %y = tkernel.kernel @conv (%n : 1, %f : 16, %p : 20, %q : 20, %c : 16, %r : 7, %s : 7) reads(%in = %x : tensor<1x16x20x20xf32>, %weights = %w : tensor<16x16x7x7xf32>) -> tensor<1x16x20x20xf32> {
    %0 = tkernel.load %in[%n, %c, %p + %r * 3 - 9, %q + %s * 3 - 9] else 0.0 : tensor<1x16x20x20xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<16x16x7x7xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }
  return %y : tensor<1x16x20x20xf32>
}
