// RUN: tensor-opt %s --view-to-kernel | FileCheck %s

// CHECK-LABEL: func.func @einsum
// CHECK: tkernel.kernel @contract (%b : 2, %m : 3, %n : 5, %k : 4) reads(%[[A:.*]] = %{{.*}} : tensor<2x3x4xf32>, %[[B:.*]] = %{{.*}} : tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
// CHECK: %[[X:.*]] = tkernel.load %[[A]][%b, %m, %k]
// CHECK: %[[Y:.*]] = tkernel.load %[[B]][%b, %n, %k]
// CHECK: %[[S:.*]] = tkernel.contract %[[X]], %[[Y]] over(%k) : f32
// CHECK: tkernel.store %[[S]], 0[%b, %m, %n] : f32
func.func @einsum(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>) -> tensor<2x3x5xf32> {
  %r = tgraph.contract "bmk,bnk->bmn" %a, %b : tensor<2x3x4xf32>, tensor<2x5x4xf32> -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

// CHECK-LABEL: func.func @outer
// CHECK: arith.muli %{{.*}} : i8
func.func @outer(%a: tensor<3xui8>, %b: tensor<4xui8>) -> tensor<3x4xui8> {
  %r = tgraph.contract "m,n->mn" %a, %b : tensor<3xui8>, tensor<4xui8> -> tensor<3x4xui8>
  return %r : tensor<3x4xui8>
}

// CHECK-LABEL: func.func @bools
// CHECK: %[[P:.*]] = arith.andi
// CHECK: tkernel.reduce ori %[[P]] over (%k) : i1
func.func @bools(%a: tensor<3x4xi1>, %b: tensor<4xi1>) -> tensor<3xi1> {
  %r = tgraph.contract "mk,k->m" %a, %b : tensor<3x4xi1>, tensor<4xi1> -> tensor<3xi1>
  return %r : tensor<3xi1>
}

// CHECK-LABEL: func.func @grouped_conv
// CHECK: tkernel.kernel @conv (%n : 2, %g : 4, %o : 3, %p : 5, %q : 4, %c : 2, %r : 3, %s : 2)
// CHECK: tkernel.load %{{.*}}[%n, %g * 2 + %c, %p * 2 + %r - 1, %q * 2 + %s * 3 - 1] : tensor<2x8x9x9xf32>
// CHECK: tkernel.load %{{.*}}[%g * 3 + %o, %c, %r, %s] : tensor<12x2x3x2xf32>
// CHECK: tkernel.contract %{{.*}}, %{{.*}} over(%c, %r, %s) : f32
// CHECK: tkernel.store %{{.*}}, 0[%n, %g * 3 + %o, %p, %q] : f32
func.func @grouped_conv(%x: tensor<2x8x9x9xf32>, %w: tensor<12x2x3x2xf32>) -> tensor<2x12x5x4xf32> {
  %r = tgraph.conv %x, %w strides [2, 2] dilations [1, 3] pad_low [1, 1] pad_high [1, 1] groups 4
      : tensor<2x8x9x9xf32>, tensor<12x2x3x2xf32> -> tensor<2x12x5x4xf32>
  return %r : tensor<2x12x5x4xf32>
}

// CHECK-LABEL: func.func @conv_1d
// CHECK: tkernel.kernel @conv (%n : 2, %o : 4, %p : 9, %c : 3, %r : 1)
func.func @conv_1d(%x: tensor<2x3x9xf32>, %w: tensor<4x3x1xf32>) -> tensor<2x4x9xf32> {
  %r = tgraph.conv %x, %w strides [1] dilations [1] pad_low [0] pad_high [0] groups 1
      : tensor<2x3x9xf32>, tensor<4x3x1xf32> -> tensor<2x4x9xf32>
  return %r : tensor<2x4x9xf32>
}
