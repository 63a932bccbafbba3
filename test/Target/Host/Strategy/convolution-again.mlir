// RUN: tensor-compile %s --target=host:sapphirerapids --option=threads=1 --explain -o %t.twm | FileCheck %s

// Weights beyond the second level are brought again by each block of lines, and fetched ahead each time.
// CHECK: convolution, 1 of
// CHECK: <[split q = [q_o, q_r 8], {{.*}} grid [p_o], {{.*}} at kernel global, prefetch weights 2048, stage input window
func.func @again(%x: tensor<256x16x16xf32>) -> tensor<256x16x16xf32> {
  %w = tgraph.constant dense<0.5> : tensor<256x256x3x3xf32>
  %y = tkernel.kernel @again (%f : 256, %p : 16, %q : 16, %c : 256, %r : 3, %s : 3) reads(%in = %x : tensor<256x16x16xf32>, %weights = %w : tensor<256x256x3x3xf32>) -> tensor<256x16x16xf32> {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<256x16x16xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] : tensor<256x256x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  return %y : tensor<256x16x16xf32>
}
