// RUN: tensor-opt %s --kernel-schedule | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet
// RUN: tensor-run %s --target=host:x86-64-v3 --compare=interpreter --quiet
// RUN: tensor-run %s --target=host:x86-64-v3 --option=threads=1 --compare=interpreter --quiet

func.func @main(%x0: tensor<2x12x12x72xf32>, %w0: tensor<72x1x5x5xf32>, %x1: tensor<1x17x45x36xf32>, %w1: tensor<3x3x36xf32>) -> (tensor<2x12x12x72xf32>, tensor<2x72x1x1xf32>, tensor<2x72xf32>, tensor<1x17x45x36xf32>, tensor<1x36xf32>, tensor<1x17x45x36xf32>) {
  // What is summed of all pixels is summed beside the windows: by a program for some channels, whose loops go through
  // the pixels.
  // CHECK-LABEL: @squeezed
  // CHECK: tkernel.schedule<[split c = [c_o, c_l 16], grid [n, c_o], order [p, r, s], tile [q, c_l], stage weights as (c_o, r, s, c_l) at kernel global, skip r, unroll s, edge c peel]>
  %y0:3 = tkernel.kernel @squeezed (%n : 2, %p : 12, %q : 12, %c : 72, %r : 5, %s : 5) reads(%in = %x0 : tensor<2x12x12x72xf32>, %weights = %w0 : tensor<72x1x5x5xf32>) -> (tensor<2x12x12x72xf32>, tensor<2x72x1x1xf32>, tensor<2x72xf32>) {
    %zero = arith.constant 0.0 : f32
    %points = arith.constant 144.0 : f32
    %0 = tkernel.load %in[%n, %p + %r - 2, %q + %s - 2, %c] else 0.0 : tensor<2x12x12x72xf32>
    %1 = tkernel.load %weights[%c, 0, %r, %s] {finite} : tensor<72x1x5x5xf32>
    %2 = tkernel.contract %0, %1 over (%r, %s) : f32
    %3 = arith.maximumf %2, %zero : f32
    %4 = tkernel.reduce addf %3 over (%p, %q) : f32
    %5 = arith.divf %4, %points : f32
    %6 = tkernel.reduce maximumf %2 over (%p, %q) : f32
    tkernel.store %3, 0[%n, %p, %q, %c] : f32
    tkernel.store %5, 1[%n, %c, 0, 0] : f32
    tkernel.store %6, 2[%n, %c] : f32
  }

  // The last block of channels, and the blocks of a line that see its borders.
  // CHECK-LABEL: @long
  // CHECK: tkernel.schedule<[split q = [q_o, q_r 5], split c = [c_o, c_l 16], grid [n, c_o], order [p, q_o, r, s], tile [q_r, c_l], skip r, unroll s, edge c peel]>
  %y1:2 = tkernel.kernel @long (%n : 1, %p : 17, %q : 45, %c : 36, %r : 3, %s : 3) reads(%in = %x1 : tensor<1x17x45x36xf32>, %weights = %w1 : tensor<3x3x36xf32>) -> (tensor<1x17x45x36xf32>, tensor<1x36xf32>) {
    %0 = tkernel.load %in[%n, %p + %r - 1, %q + %s - 1, %c] else 0.0 : tensor<1x17x45x36xf32>
    %1 = tkernel.load %weights[%r, %s, %c] {finite} : tensor<3x3x36xf32>
    %2 = tkernel.contract %0, %1 over (%r, %s) : f32
    %3 = tkernel.reduce addf %2 over (%p, %q) : f32
    tkernel.store %2, 0[%n, %p, %q, %c] : f32
    tkernel.store %3, 1[%n, %c] : f32
  }

  // A value of single pixels that is computed from a total comes after all of them.
  // CHECK-LABEL: @normalized
  // CHECK-NOT: tile [q_r, c_l]
  // CHECK: return
  %y2 = tkernel.kernel @normalized (%n : 1, %p : 17, %q : 45, %c : 36, %r : 3, %s : 3) reads(%in = %x1 : tensor<1x17x45x36xf32>, %weights = %w1 : tensor<3x3x36xf32>) -> tensor<1x17x45x36xf32> {
    %0 = tkernel.load %in[%n, %p + %r - 1, %q + %s - 1, %c] else 0.0 : tensor<1x17x45x36xf32>
    %1 = tkernel.load %weights[%r, %s, %c] {finite} : tensor<3x3x36xf32>
    %2 = tkernel.contract %0, %1 over (%r, %s) : f32
    %3 = tkernel.reduce maximumf %2 over (%p, %q) : f32
    %4 = arith.subf %2, %3 : f32
    tkernel.store %4, 0[%n, %p, %q, %c] : f32
  }
  return %y0#0, %y0#1, %y0#2, %y1#0, %y1#1, %y2 : tensor<2x12x12x72xf32>, tensor<2x72x1x1xf32>, tensor<2x72xf32>, tensor<1x17x45x36xf32>, tensor<1x36xf32>, tensor<1x17x45x36xf32>
}
