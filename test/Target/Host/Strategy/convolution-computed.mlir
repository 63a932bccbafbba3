// REQUIRES: compiler
// What is computed of a convolution's input point by point is computed once, in a box that windows read: a relu, whose outside stays
// zero; functions and factors of channels within a border of zeros, under masks. Not where no step of a window is one: `3 * p + 2 * r`.
// RUN: tensor-compile %s --target=host:x86-64-v3 --option=threads=1 --to=schedule | FileCheck %s
// RUN: tensor-run %s --target=host:x86-64-v3 --option=threads=1 --compare=interpreter --quiet
// RUN: tensor-run %s --option=threads=3 --compare=interpreter --quiet

// CHECK: @relu_conv (
// CHECK-SAME: stage input window as (c, p_b, r, s, q_o, q_r) at grid local
// CHECK: tkernel.load %{{.*}}[0, %c, %p + %r - 1, %q + %s - 1]
// CHECK-NOT: arith.select
// CHECK: @strides (
// CHECK-SAME: stage input window as (c, {{.*}}) at grid local
// CHECK: arith.select
// CHECK: @apart (
// CHECK-NOT: stage input window
// CHECK: tkernel.contract
!X = tensor<1x16x40x40xf32>
func.func @main(%x: !X, %w: tensor<32x16x3x3xf32>, %scale: tensor<16xf32>) -> (tensor<1x32x40x40xf32>, tensor<1x32x20x20xf32>, tensor<1x32x12x12xf32>) {
  %relu = tgraph.relu %x : !X
  %y0 = tgraph.conv %relu, %w strides [1, 1] dilations [1, 1] pad_low [1, 1] pad_high [1, 1] groups 1 : !X, tensor<32x16x3x3xf32> -> tensor<1x32x40x40xf32>
  %y1 = tkernel.kernel @strides (%o : 32, %p : 20, %q : 20, %c : 16, %r : 3, %s : 3) reads(%a = %x : !X, %b = %w : tensor<32x16x3x3xf32>, %f = %scale : tensor<16xf32>) -> tensor<1x32x20x20xf32> {
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0 : index
    %v = tkernel.load %a[0, %c, 2 * %p + %r - 1, 2 * %q + %s - 1] else 0.0 : !X
    %k = tkernel.load %f[%c] : tensor<16xf32>
    %e = math.exp %v : f32
    %n = arith.mulf %e, %k : f32
    %i = affine.apply affine_map<(d0, d1) -> (2 * d0 + d1 - 1)>(%p, %r)
    %j = affine.apply affine_map<(d0, d1) -> (2 * d0 + d1 - 1)>(%q, %s)
    %below = arith.cmpi sge, %i, %none : index
    %right = arith.cmpi sge, %j, %none : index
    %inside = arith.andi %below, %right : i1
    %m = arith.select %inside, %n, %zero : f32
    %y = tkernel.load %b[%o, %c, %r, %s] : tensor<32x16x3x3xf32>
    %t = tkernel.contract %m, %y over(%c, %r, %s) : f32
    tkernel.store %t, 0[0, %o, %p, %q] : f32
  }
  %y2 = tkernel.kernel @apart (%o : 32, %p : 12, %q : 12, %c : 16, %r : 3, %s : 3) reads(%a = %x : !X, %b = %w : tensor<32x16x3x3xf32>) -> tensor<1x32x12x12xf32> {
    %v = tkernel.load %a[0, %c, 3 * %p + 2 * %r, 3 * %q + 2 * %s] else 0.0 : !X
    %e = math.exp %v : f32
    %y = tkernel.load %b[%o, %c, %r, %s] : tensor<32x16x3x3xf32>
    %t = tkernel.contract %e, %y over(%c, %r, %s) : f32
    tkernel.store %t, 0[0, %o, %p, %q] : f32
  }
  return %y0, %y1, %y2 : tensor<1x32x40x40xf32>, tensor<1x32x20x20xf32>, tensor<1x32x12x12xf32>
}
