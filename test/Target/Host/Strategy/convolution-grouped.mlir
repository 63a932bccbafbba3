// RUN: tensor-opt %s --kernel-schedule | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// The channels of a group are cut from all of them: neither side is a plain coordinate, and the window is the side
// whose points overlap. Without a window it is a product for each group.
// CHECK-LABEL: func.func @main
// CHECK: @grouped {{.*}} grid [g, p{{[_o]*}}], {{.*}} stage weights as (g, {{.*}}) at kernel global, stage input window at grid local
// CHECK: @pointwise
// CHECK-NOT: window
func.func @main(%x: tensor<1x12x17x19xf32>, %w: tensor<66x6x5x5xf32>, %v: tensor<8x33xf32>) -> tensor<1x8x17x19xf32> {
  %y = tkernel.kernel @grouped (%g : 2, %f : 33, %p : 17, %q : 19, %c : 6, %r : 5, %s : 5) reads(%in = %x : tensor<1x12x17x19xf32>, %weights = %w : tensor<66x6x5x5xf32>) -> tensor<1x66x17x19xf32> {
    %0 = tkernel.load %in[0, %g * 6 + %c, %p + %r - 2, %q + %s - 2] : tensor<1x12x17x19xf32>
    %1 = tkernel.load %weights[%g * 33 + %f, %c, %r, %s] : tensor<66x6x5x5xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[0, %g * 33 + %f, %p, %q] : f32
  }
  %z = tkernel.kernel @pointwise (%g : 2, %f : 4, %p : 17, %q : 19, %c : 33) reads(%in = %y : tensor<1x66x17x19xf32>, %weights = %v : tensor<8x33xf32>) -> tensor<1x8x17x19xf32> {
    %0 = tkernel.load %in[0, %g * 33 + %c, %p, %q] : tensor<1x66x17x19xf32>
    %1 = tkernel.load %weights[%g * 4 + %f, %c] : tensor<8x33xf32>
    %2 = tkernel.contract %0, %1 over (%c) : f32
    tkernel.store %2, 0[0, %g * 4 + %f, %p, %q] : f32
  }
  return %z : tensor<1x8x17x19xf32>
}
