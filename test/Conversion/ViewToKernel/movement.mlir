// RUN: tensor-opt %s --view-to-kernel | FileCheck %s

// CHECK-LABEL: func.func @view
// CHECK: tkernel.kernel @view (%i : 4, %j : 3) reads(%[[A:.*]] = %{{.*}} : tensor<3x4xui8>) -> tensor<4x3xui8>
// CHECK: tkernel.load %[[A]][%j - 1, %i] else 1 : tensor<3x4xui8>
func.func @view(%x: tensor<3x4xui8>) -> tensor<4x3xui8> {
  %r = tview.view %x through <affine_map<(d0, d1) -> (d1 - 1, d0)>, [(d0, d1) : (d1 ge 1) else 1 : ui8]>
      : tensor<3x4xui8> -> tensor<4x3xui8>
  return %r : tensor<4x3xui8>
}

// CHECK-LABEL: func.func @materialize
// CHECK: tkernel.kernel @materialize (%i : 3) reads({{.*}}) -> tensor<3xf32> attributes {materialize}
func.func @materialize(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = tview.materialize %x : tensor<3xf32>
  return %r : tensor<3xf32>
}

// CHECK-LABEL: func.func @concat
// CHECK: tkernel.kernel @concat (%i : 2, %j : 9)
// CHECK-DAG: %[[X:.*]] = tkernel.load %{{.*}}[%i, %j] : tensor<2x3xf32>
// CHECK-DAG: %[[Y:.*]] = tkernel.load %{{.*}}[%i, %j - 3] : tensor<2x1xf32>
// CHECK-DAG: %[[Z:.*]] = tkernel.load %{{.*}}[%i, %j - 4] : tensor<2x5xf32>
// CHECK-DAG: %[[N:.*]] = arith.cmpi slt, %j, %c4 : index
// CHECK: %[[S:.*]] = arith.select %[[N]], %[[Y]], %[[Z]] : f32
// CHECK: %[[M:.*]] = arith.cmpi slt, %j, %c3 : index
// CHECK: arith.select %[[M]], %[[X]], %[[S]] : f32
func.func @concat(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>, %c: tensor<2x5xf32>) -> tensor<2x9xf32> {
  %r = tgraph.concat %a, %b, %c dim 1 : tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x5xf32> -> tensor<2x9xf32>
  return %r : tensor<2x9xf32>
}

// Sixteen operands are more than a kernel can read beside its result: twice 8 are joined, then 2.
// CHECK-LABEL: func.func @wide_concat
// CHECK: %[[P:.*]] = tkernel.kernel @concat (%i : 8)
// CHECK: %[[Q:.*]] = tkernel.kernel @concat (%i : 8)
// CHECK: tkernel.kernel @concat (%i : 16) reads(%{{.*}} = %[[P]] : tensor<8xf32>, %{{.*}} = %[[Q]] : tensor<8xf32>)
func.func @wide_concat(%a: tensor<1xf32>, %b: tensor<1xf32>, %c: tensor<1xf32>, %d: tensor<1xf32>,
    %e: tensor<1xf32>, %f: tensor<1xf32>, %g: tensor<1xf32>, %h: tensor<1xf32>, %i: tensor<1xf32>,
    %j: tensor<1xf32>, %k: tensor<1xf32>, %l: tensor<1xf32>, %m: tensor<1xf32>, %n: tensor<1xf32>,
    %o: tensor<1xf32>, %p: tensor<1xf32>) -> tensor<16xf32> {
  %r = tgraph.concat %a, %b, %c, %d, %e, %f, %g, %h, %i, %j, %k, %l, %m, %n, %o, %p dim 0
      : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
        tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
        tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32> -> tensor<16xf32>
  return %r : tensor<16xf32>
}
