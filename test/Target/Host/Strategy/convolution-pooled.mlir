// RUN: tensor-opt %s --kernel-schedule | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// Pooling over a convolution: what windows see of it is computed once, in a box, over which they slide.
// CHECK-LABEL: func.func @main
// CHECK: order [{{.*}}u, v], tile [{{.*}}], {{.*}}stage box window as ({{.*}}u, {{.*}}v, {{.*}}) at grid local
func.func @main(%x: tensor<2x5x13x17xf32>, %w: tensor<19x5x3x3xf32>) -> tensor<2x19x7x9xf32> {
  %y = tkernel.kernel @pooled (%n : 2, %f : 19, %p : 7, %q : 9, %u : 3, %v : 3, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<2x5x13x17xf32>, %weights = %w : tensor<19x5x3x3xf32>) -> tensor<2x19x7x9xf32> {
    %0 = tkernel.load %in[%n, %c, 2 * %p + %u + %r - 2, 2 * %q + %v + %s - 2] else 0.0 : tensor<2x5x13x17xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] : tensor<19x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    %column = affine.apply affine_map<(d0, d1) -> (2 * d0 + d1 - 1)>(%q, %v)
    %zero = arith.constant 0 : index
    %inside = arith.cmpi sge, %column, %zero : index
    %never = arith.constant 0xFF800000 : f32
    %3 = arith.select %inside, %2, %never : f32
    %m = tkernel.reduce maximumf %3 over (%u, %v) : f32
    tkernel.store %m, 0[%n, %f, %p, %q] : f32
  }
  return %y : tensor<2x19x7x9xf32>
}
