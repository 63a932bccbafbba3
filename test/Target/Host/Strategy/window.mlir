// RUN: tensor-opt %s --kernel-schedule | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// Windows that move by a few elements: whole rows of vectors, all taps unrolled. The maximum keeps signs and what tells
// NaN in registers, so its blocks are smaller than those of a sum; where few taps end a chain of them, loops will do.
// CHECK-LABEL: func.func @main
// CHECK: @depthwise {{.*}}split p = [p_o, p_i 4], grid [c, p_o], order [r, s], tile [p_i, q], unroll r, unroll s
// CHECK: @largest {{.*}}grid [n, c, p], order [q_o, r, s], tile [q_i], edge q peel
// CHECK: @smallest {{.*}} grid [c, p_o], order [q_o, r, s], tile [p_i, q_i], unroll q_o, unroll r, unroll s
// CHECK: @mean {{.*}} tile [p, q]
// CHECK: @double {{.*}} tile [p_i, q]
// CHECK: @bytes {{.*}} tile [p_i, q]
func.func @main(%x: tensor<7x33x39xf32>, %w: tensor<7x3x5xf32>, %z: tensor<3x21x421xf32>, %d: tensor<3x9x17xf64>, %b: tensor<3x23x57xi8>)
    -> (tensor<7x17x20xf32>, tensor<2x7x16x18xf32>, tensor<3x11x140xf32>, tensor<7x6x8xf32>, tensor<3x5x9xf64>, tensor<3x11x27xi8>) {
  %0 = tkernel.kernel @depthwise (%c : 7, %p : 17, %q : 20, %r : 3, %s : 5) reads(%in = %x : tensor<7x33x39xf32>, %weights = %w : tensor<7x3x5xf32>) -> tensor<7x17x20xf32> {
    %a = tkernel.load %in[%c, 2 * %p + %r - 1, 2 * %q + %s - 2] else 0.0 : tensor<7x33x39xf32>
    %t = tkernel.load %weights[%c, %r, %s] : tensor<7x3x5xf32>
    %m = tkernel.contract %a, %t over (%r, %s) : f32
    tkernel.store %m, 0[%c, %p, %q] : f32
  }
  %1 = tkernel.kernel @largest (%n : 2, %c : 7, %p : 16, %q : 18, %r : 3, %s : 3) reads(%in = %x : tensor<7x33x39xf32>) -> tensor<2x7x16x18xf32> {
    %a = tkernel.load %in[%c, 2 * %p + %r, 2 * %q + %s + %n] : tensor<7x33x39xf32>
    %m = tkernel.reduce maximumf %a over (%r, %s) : f32
    tkernel.store %m, 0[%n, %c, %p, %q] : f32
  }
  %2 = tkernel.kernel @smallest (%c : 3, %p : 11, %q : 140, %r : 2, %s : 4) reads(%in = %z : tensor<3x21x421xf32>) -> tensor<3x11x140xf32> {
    %a = tkernel.load %in[%c, 2 * %p + %r - 1, 3 * %q + %s - 1] else 0x7F800000 : tensor<3x21x421xf32>
    %m = tkernel.reduce minimumf %a over (%r, %s) : f32
    tkernel.store %m, 0[%c, %p, %q] : f32
  }
  %3 = tkernel.kernel @mean (%c : 7, %p : 6, %q : 8, %r : 5, %s : 5) reads(%in = %x : tensor<7x33x39xf32>) -> tensor<7x6x8xf32> {
    %a = tkernel.load %in[%c, 5 * %p + %r, 5 * %q + %s - 1] else 0.0 : tensor<7x33x39xf32>
    %m = tkernel.reduce addf %a over (%r, %s) : f32
    tkernel.store %m, 0[%c, %p, %q] : f32
  }
  %4 = tkernel.kernel @double (%c : 3, %p : 5, %q : 9, %r : 2, %s : 2) reads(%in = %d : tensor<3x9x17xf64>) -> tensor<3x5x9xf64> {
    %a = tkernel.load %in[%c, 2 * %p + %r - 1, 2 * %q + %s - 1] else 0.0 : tensor<3x9x17xf64>
    %m = tkernel.reduce maximumf %a over (%r, %s) : f64
    tkernel.store %m, 0[%c, %p, %q] : f64
  }
  %5 = tkernel.kernel @bytes (%c : 3, %p : 11, %q : 27, %r : 3, %s : 3) reads(%in = %b : tensor<3x23x57xi8>) -> tensor<3x11x27xi8> {
    %a = tkernel.load %in[%c, 2 * %p + %r, 2 * %q + %s] : tensor<3x23x57xi8>
    %m = tkernel.reduce maxs %a over (%r, %s) : i8
    tkernel.store %m, 0[%c, %p, %q] : i8
  }
  return %0, %1, %2, %3, %4, %5 : tensor<7x17x20xf32>, tensor<2x7x16x18xf32>, tensor<3x11x140xf32>, tensor<7x6x8xf32>, tensor<3x5x9xf64>, tensor<3x11x27xi8>
}
