// RUN: tensor-opt %s --kernel-schedule | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet
// RUN: tensor-run %s --target=host:x86-64-v3 --compare=interpreter --quiet

func.func @main(%x0: tensor<2x11x27x37xf32>, %w0: tensor<37x1x3x5xf32>, %x1: tensor<1x14x14x48xf32>, %w1: tensor<5x5x48xf32>, %b1: tensor<48xf32>, %x2: tensor<1x9x90x20xf16>, %w2: tensor<3x3x20xf16>, %x3: tensor<1x17x45x20xf32>, %w3: tensor<3x3x20xf32>, %x4: tensor<1x5x29x20xf32>, %x5: tensor<1x5x14x37xf32>, %w5: tensor<3x3x2x36xf32>) -> (tensor<2x6x14x37xf32>, tensor<1x14x14x48xf32>, tensor<1x9x90x20xf16>, tensor<1x17x45x20xf32>, tensor<1x5x29x20xf32>, tensor<1x5x14x36xf32>) {
  // Channels along lanes, whose weights are packed where they are not contiguous; pixels of a line in the tile, taps
  // along it unrolled, the loop over the others as short as the border lets it be.
  // CHECK-LABEL: @strided
  // CHECK: tkernel.schedule<[split c = [c_o, c_l 16], grid [n, p], order [c_o, r, s], tile [q, c_l], stage weights as (c_o, r, s, c_l) at kernel global, skip r, unroll s, edge c peel]>
  %y0 = tkernel.kernel @strided (%n : 2, %p : 6, %q : 14, %c : 37, %r : 3, %s : 5) reads(%in = %x0 : tensor<2x11x27x37xf32>, %weights = %w0 : tensor<37x1x3x5xf32>) -> tensor<2x6x14x37xf32> {
    %0 = tkernel.load %in[%n, 2 * %p + %r - 1, 2 * %q + %s - 2, %c] else 0.0 : tensor<2x11x27x37xf32>
    %1 = tkernel.load %weights[%c, 0, %r, %s] {finite} : tensor<37x1x3x5xf32>
    %2 = tkernel.contract %0, %1 over (%r, %s) : f32
    tkernel.store %2, 0[%n, %p, %q, %c] : f32
  }

  // CHECK-LABEL: @biased
  // CHECK: tkernel.schedule<[split c = [c_o, c_l 16], grid [n, p], order [c_o, r, s], tile [q, c_l], skip r, unroll s]>
  %y1 = tkernel.kernel @biased (%n : 1, %p : 14, %q : 14, %c : 48, %r : 5, %s : 5) reads(%in = %x1 : tensor<1x14x14x48xf32>, %weights = %w1 : tensor<5x5x48xf32>, %bias = %b1 : tensor<48xf32>) -> tensor<1x14x14x48xf32> {
    %0 = tkernel.load %in[%n, %p + %r - 2, %q + %s - 2, %c] else 0.0 : tensor<1x14x14x48xf32>
    %1 = tkernel.load %weights[%r, %s, %c] {finite} : tensor<5x5x48xf32>
    %2 = tkernel.contract %0, %1 over (%r, %s) : f32
    %3 = tkernel.load %bias[%c] : tensor<48xf32>
    %4 = arith.addf %2, %3 : f32
    tkernel.store %4, 0[%n, %p, %q, %c] : f32
  }

  // Of a line that is longer than registers hold sums a few pixels, whose loop has those at the borders apart where
  // there are programs enough without it.
  // CHECK-LABEL: @long
  // CHECK: split q = [q_o, q_r 6], split c = [c_o, c_l 16], grid [n, p, q_o], order [c_o, r, s]
  %y2 = tkernel.kernel @long (%n : 1, %p : 9, %q : 90, %c : 20, %r : 3, %s : 3) reads(%in = %x2 : tensor<1x9x90x20xf16>, %weights = %w2 : tensor<3x3x20xf16>) -> tensor<1x9x90x20xf16> {
    %0 = tkernel.load %in[%n, %p + %r - 1, %q + %s - 1, %c] else 0.0 : tensor<1x9x90x20xf16>
    %1 = tkernel.load %weights[%r, %s, %c] {finite} : tensor<3x3x20xf16>
    %2 = tkernel.contract %0, %1 over (%r, %s) : f16, f16 -> f32
    %3 = arith.truncf %2 : f32 to f16
    tkernel.store %3, 0[%n, %p, %q, %c] : f16
  }

  // CHECK-LABEL: @many
  // CHECK: split q = [q_o, q_r 5], split c = [c_o, c_l 16], grid [n, p], order [q_o, c_o, r, s]
  %y3 = tkernel.kernel @many (%n : 1, %p : 17, %q : 45, %c : 20, %r : 3, %s : 3) reads(%in = %x3 : tensor<1x17x45x20xf32>, %weights = %w3 : tensor<3x3x20xf32>) -> tensor<1x17x45x20xf32> {
    %0 = tkernel.load %in[%n, %p + %r - 1, %q + %s - 1, %c] else 0.0 : tensor<1x17x45x20xf32>
    %1 = tkernel.load %weights[%r, %s, %c] {finite} : tensor<3x3x20xf32>
    %2 = tkernel.contract %0, %1 over (%r, %s) : f32
    tkernel.store %2, 0[%n, %p, %q, %c] : f32
  }

  // A line of 29 pixels would leave no register for the weights.
  // CHECK-LABEL: @held
  // CHECK: split q = [q_o, q_r 8]
  %y4 = tkernel.kernel @held (%n : 1, %p : 5, %q : 29, %c : 20, %r : 3, %s : 3) reads(%in = %x4 : tensor<1x5x29x20xf32>, %weights = %w3 : tensor<3x3x20xf32>) -> tensor<1x5x29x20xf32> {
    %0 = tkernel.load %in[%n, %p + %r - 1, %q + %s - 1, %c] else 0.0 : tensor<1x5x29x20xf32>
    %1 = tkernel.load %weights[%r, %s, %c] {finite} : tensor<3x3x20xf32>
    %2 = tkernel.contract %0, %1 over (%r, %s) : f32
    tkernel.store %2, 0[%n, %p, %q, %c] : f32
  }

  // Windows that slide along the channels as well are another class.
  // CHECK-LABEL: @channels_slide
  // CHECK-NOT: unroll s
  // CHECK: return
  %y5 = tkernel.kernel @channels_slide (%n : 1, %p : 5, %q : 14, %c : 36, %r : 3, %s : 3, %t : 2) reads(%in = %x5 : tensor<1x5x14x37xf32>, %weights = %w5 : tensor<3x3x2x36xf32>) -> tensor<1x5x14x36xf32> {
    %0 = tkernel.load %in[%n, %p + %r - 1, %q + %s - 1, %c + %t] else 0.0 : tensor<1x5x14x37xf32>
    %1 = tkernel.load %weights[%r, %s, %t, %c] {finite} : tensor<3x3x2x36xf32>
    %2 = tkernel.contract %0, %1 over (%r, %s, %t) : f32
    tkernel.store %2, 0[%n, %p, %q, %c] : f32
  }
  return %y0, %y1, %y2, %y3, %y4, %y5 : tensor<2x6x14x37xf32>, tensor<1x14x14x48xf32>, tensor<1x9x90x20xf16>, tensor<1x17x45x20xf32>, tensor<1x5x29x20xf32>, tensor<1x5x14x36xf32>
}
