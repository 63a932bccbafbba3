// RUN: tensor-opt %s --host-print-prices -o /dev/null | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// Few lines: the channels are divided among programs too. Loops of two steps are unrolled.
// CHECK-LABEL: @main
// CHECK: split f = [f_o, f_b {{[0-9]+}}, f_l {{[0-9]+}}]{{.*}} grid [n, f_o, p], {{.*}} unroll r, unroll s
func.func @main(%x: tensor<1x13x14x14xf32>, %w: tensor<259x13x2x2xf32>) -> tensor<1x259x7x7xf32> {
  %y = tkernel.kernel @conv (%n : 1, %f : 259, %p : 7, %q : 7, %c : 13, %r : 2, %s : 2) reads(%in = %x : tensor<1x13x14x14xf32>, %weights = %w : tensor<259x13x2x2xf32>) -> tensor<1x259x7x7xf32> {
    %0 = tkernel.load %in[%n, %c, 2 * %p + %r, 2 * %q + %s] : tensor<1x13x14x14xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] : tensor<259x13x2x2xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }
  return %y : tensor<1x259x7x7xf32>
}

// Weights of a window of one tap that are likely to have left the caches since the last call are fetched ahead.
// CHECK-LABEL: @fetched
// CHECK: stage weights as ({{.*}}c, f_l) at kernel global, prefetch weights 2048, stage input window at grid local
func.func @fetched(%x: tensor<256x14x14xf32>) -> tensor<512x7x7xf32> {
  %w = tgraph.constant dense<0.5> : tensor<512x256xf32>
  %y = tkernel.kernel @fetched (%f : 512, %p : 7, %q : 7, %c : 256) reads(%in = %x : tensor<256x14x14xf32>, %weights = %w : tensor<512x256xf32>) -> tensor<512x7x7xf32> {
    %0 = tkernel.load %in[%c, %p * 2, %q * 2] : tensor<256x14x14xf32>
    %1 = tkernel.load %weights[%f, %c] : tensor<512x256xf32>
    %2 = tkernel.contract %0, %1 over (%c) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  return %y : tensor<512x7x7xf32>
}

// So are those of several taps, if few tiles of pixels pass through them.
// CHECK-LABEL: @taps
// CHECK: stage weights as ({{.*}}f_l) at kernel global, prefetch weights 2048, stage input window at grid local
func.func @taps(%x: tensor<32x7x7xf32>) -> tensor<256x7x7xf32> {
  %w = tgraph.constant dense<0.5> : tensor<256x32x3x3xf32>
  %y = tkernel.kernel @taps (%f : 256, %p : 7, %q : 7, %c : 32, %r : 3, %s : 3) reads(%in = %x : tensor<32x7x7xf32>, %weights = %w : tensor<256x32x3x3xf32>) -> tensor<256x7x7xf32> {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<32x7x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] : tensor<256x32x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  return %y : tensor<256x7x7xf32>
}

// CHECK-LABEL: @passes
// CHECK-NOT: prefetch
func.func @passes(%x: tensor<32x42x14xf32>) -> tensor<256x42x14xf32> {
  %w = tgraph.constant dense<0.5> : tensor<256x32x3x1xf32>
  %y = tkernel.kernel @passes (%f : 256, %p : 42, %q : 14, %c : 32, %r : 3) reads(%in = %x : tensor<32x42x14xf32>, %weights = %w : tensor<256x32x3x1xf32>) -> tensor<256x42x14xf32> {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q] else 0.0 : tensor<32x42x14xf32>
    %1 = tkernel.load %weights[%f, %c, %r, 0] : tensor<256x32x3x1xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  return %y : tensor<256x42x14xf32>
}
