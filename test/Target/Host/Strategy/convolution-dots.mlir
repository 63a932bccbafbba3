// Convolutions of bf16 and of bytes take dot instructions where the CPU has them, else f32 and pairs.
// RUN: tensor-opt %s --host-print-prices=traits=bf16Dot=true,int8Dot=true -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --host-print-prices=traits=int16Dot=true -o /dev/null | FileCheck %s --check-prefix=PAIRS
// RUN: tensor-run %s --compare=interpreter --max-error=2e-5 --quiet
// RUN: tensor-run %s --target=host:x86-64-v3 --compare=interpreter --max-error=2e-5 --quiet

func.func @main(%x0: tensor<2x6x19x37xbf16>, %w0: tensor<70x6x3x3xbf16>, %x1: tensor<1x64x7x7xbf16>, %w1: tensor<96x64x3x3xbf16>, %x2: tensor<1x3x29x31xbf16>, %w2: tensor<40x3x5x5xbf16>, %x3: tensor<1x11x13x7xbf16>, %w3: tensor<3x3x7x24xbf16>, %x4: tensor<1x10x9x21xui8>, %w4: tensor<33x10x3x3xi8>, %x5: tensor<1x8x9x21xbf16>, %w5: tensor<33x7x3x3xbf16>) -> (tensor<2x70x19x37xf32>, tensor<1x96x7x7xf32>, tensor<1x40x13x14xf32>, tensor<1x11x13x24xf32>, tensor<1x33x9x21xi32>, tensor<1x33x9x21xf32>) {
  // Channels of the input in groups of two, copied in groups with the window; what is not a dot is extended while it is
  // copied.
  // CHECK-LABEL: @pairs
  // CHECK: split c = [c_o, c_g 2], {{.*}} order [{{.*}}c_o, r, s], tile [c_g, q_r, f_l], stage weights as (f_o, c_o, r, s, f_l, c_g) at kernel global, stage input window at grid local, contract c_g dot, skip r, {{.*}}edge f pad
  // PAIRS-LABEL: @pairs
  // PAIRS: widen sum = [lhs_wide, rhs_wide], {{.*}} stage rhs_wide as ({{.*}}) at kernel global, stage lhs_wide window at grid local
  %y0 = tkernel.kernel @pairs (%n : 2, %f : 70, %p : 19, %q : 37, %c : 6, %r : 3, %s : 3) reads(%in = %x0 : tensor<2x6x19x37xbf16>, %weights = %w0 : tensor<70x6x3x3xbf16>) -> tensor<2x70x19x37xf32> {
    %0 = tkernel.load %in[%n, %c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<2x6x19x37xbf16>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<70x6x3x3xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : bf16, bf16 -> f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }

  // Pixels of all of a line leave out columns beyond the border: no group of theirs is read.
  // CHECK-LABEL: @short
  // CHECK: tile [c_g, q, f_l], {{.*}} contract c_g dot, unroll s, skip r, skip s
  %y1 = tkernel.kernel @short (%n : 1, %f : 96, %p : 7, %q : 7, %c : 64, %r : 3, %s : 3) reads(%in = %x1 : tensor<1x64x7x7xbf16>, %weights = %w1 : tensor<96x64x3x3xbf16>) -> tensor<1x96x7x7xf32> {
    %0 = tkernel.load %in[%n, %c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<1x64x7x7xbf16>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<96x64x3x3xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : bf16, bf16 -> f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }

  // Where groups do not divide the channels, the input is zero beyond them.
  // CHECK-LABEL: @image
  // CHECK: split c = [c_o, c_g 2], {{.*}} contract c_g dot, unroll c_o, {{.*}}edge c pad
  %y2 = tkernel.kernel @image (%n : 1, %f : 40, %p : 13, %q : 14, %c : 3, %r : 5, %s : 5) reads(%in = %x2 : tensor<1x3x29x31xbf16>, %weights = %w2 : tensor<40x3x5x5xbf16>) -> tensor<1x40x13x14xf32> {
    %0 = tkernel.load %in[%n, %c, 2 * %p + %r, 2 * %q + %s] : tensor<1x3x29x31xbf16>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<40x3x5x5xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : bf16, bf16 -> f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }

  // Channels last lie in groups as they are.
  // CHECK-LABEL: @last
  // CHECK: contract c_g dot
  %y3 = tkernel.kernel @last (%n : 1, %f : 24, %p : 11, %q : 13, %c : 7, %r : 3, %s : 3) reads(%in = %x3 : tensor<1x11x13x7xbf16>, %weights = %w3 : tensor<3x3x7x24xbf16>) -> tensor<1x11x13x24xf32> {
    %0 = tkernel.load %in[%n, %p + %r - 1, %q + %s - 1, %c] else 0.0 : tensor<1x11x13x7xbf16>
    %1 = tkernel.load %weights[%r, %s, %c, %f] {finite} : tensor<3x3x7x24xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : bf16, bf16 -> f32
    tkernel.store %2, 0[%n, %p, %q, %f] : f32
  }

  // CHECK-LABEL: @bytes
  // CHECK: split c = [c_o, c_g 4], {{.*}} contract c_g dot
  // PAIRS-LABEL: @bytes
  // PAIRS: split c = [c_o, c_g 4], {{.*}} contract c_g dot
  %y4 = tkernel.kernel @bytes (%n : 1, %f : 33, %p : 9, %q : 21, %c : 10, %r : 3, %s : 3) reads(%in = %x4 : tensor<1x10x9x21xui8>, %weights = %w4 : tensor<33x10x3x3xi8>) -> tensor<1x33x9x21xi32> {
    %0 = tkernel.load %in[%n, %c, %p + %r - 1, %q + %s - 1] else 0 : tensor<1x10x9x21xui8>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<33x10x3x3xi8>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) lhs_unsigned : i8, i8 -> i32
    tkernel.store %2, 0[%n, %f, %p, %q] : i32
  }

  // What lies beside the channels that are convolved is not zero: they are not padded to groups, and computed in f32.
  // CHECK-LABEL: @beside
  // CHECK: widen sum
  %y5 = tkernel.kernel @beside (%n : 1, %f : 33, %p : 9, %q : 21, %c : 7, %r : 3, %s : 3) reads(%in = %x5 : tensor<1x8x9x21xbf16>, %weights = %w5 : tensor<33x7x3x3xbf16>) -> tensor<1x33x9x21xf32> {
    %0 = tkernel.load %in[%n, %c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<1x8x9x21xbf16>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<33x7x3x3xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : bf16, bf16 -> f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }
  return %y0, %y1, %y2, %y3, %y4, %y5 : tensor<2x70x19x37xf32>, tensor<1x96x7x7xf32>, tensor<1x40x13x14xf32>, tensor<1x11x13x24xf32>, tensor<1x33x9x21xi32>, tensor<1x33x9x21xf32>
}
