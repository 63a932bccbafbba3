// RUN: tensor-opt %s --host-print-prices -o /dev/null | FileCheck %s

// Of tiles of equal work the one with the most pixels is looked at too, which passes through the weights the fewest times.
// CHECK: split q = [q_o, q_r 14], split f = [f_o, f_l 32]
func.func @main(%x: tensor<128x28x28xf32>) -> tensor<128x28x28xf32> {
  %w = tgraph.constant dense<0.5> : tensor<128x128x3x3xf32>
  %y = tkernel.kernel @conv (%f : 128, %p : 28, %q : 28, %c : 128, %r : 3, %s : 3) reads(%in = %x : tensor<128x28x28xf32>, %weights = %w : tensor<128x128x3x3xf32>) -> tensor<128x28x28xf32> {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<128x28x28xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] : tensor<128x128x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  return %y : tensor<128x28x28xf32>
}
