// Round trip of contract and conv.
// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @contract
func.func @contract(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %i: tensor<3xi32>, %j: tensor<2xi32>) {
  // CHECK: tgraph.contract "bmk,bkn->bmn" %{{.*}}, %{{.*}} : tensor<2x3x4xf32>, tensor<2x4x5xf32> -> tensor<2x3x5xf32>
  %0 = tgraph.contract "bmk,bkn->bmn" %a, %b : tensor<2x3x4xf32>, tensor<2x4x5xf32> -> tensor<2x3x5xf32>
  // CHECK: tgraph.contract "bmk,bkn->m" %{{.*}}, %{{.*}} : tensor<2x3x4xf32>, tensor<2x4x5xf32> -> tensor<3xf32>
  %1 = tgraph.contract "bmk,bkn->m" %a, %b : tensor<2x3x4xf32>, tensor<2x4x5xf32> -> tensor<3xf32>
  // CHECK: tgraph.contract "i,j->ji" %{{.*}}, %{{.*}} : tensor<3xi32>, tensor<2xi32> -> tensor<2x3xi32>
  %2 = tgraph.contract "i,j->ji" %i, %j : tensor<3xi32>, tensor<2xi32> -> tensor<2x3xi32>
  // CHECK: tgraph.contract "i,j->" %{{.*}}, %{{.*}} : tensor<3xi32>, tensor<2xi32> -> tensor<i32>
  %3 = tgraph.contract "i,j->" %i, %j : tensor<3xi32>, tensor<2xi32> -> tensor<i32>
  return
}

// CHECK-LABEL: func.func @conv
func.func @conv(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %l: tensor<2x4x9xf32>, %d: tensor<4x1x3xf32>) {
  // CHECK: tgraph.conv %{{.*}}, %{{.*}} strides [2, 2] dilations [1, 1] pad_low [1, 1] pad_high [1, 1] groups 1 : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x4x4xf32>
  %0 = tgraph.conv %x, %w strides [2, 2] dilations [1, 1] pad_low [1, 1] pad_high [1, 1] groups 1 : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x4x4xf32>
  // CHECK: tgraph.conv %{{.*}}, %{{.*}} strides [1] dilations [2] pad_low [0] pad_high [0] groups 4 : tensor<2x4x9xf32>, tensor<4x1x3xf32> -> tensor<2x4x5xf32>
  %1 = tgraph.conv %l, %d strides [1] dilations [2] pad_low [0] pad_high [0] groups 4 : tensor<2x4x9xf32>, tensor<4x1x3xf32> -> tensor<2x4x5xf32>
  return
}

