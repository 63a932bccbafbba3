// RUN: tensor-opt %s --graph-differentiate="of=loss wrt=w,b" --canonicalize --cse --split-input-file | FileCheck %s
// RUN: tensor-opt %s --graph-differentiate="of=0" --split-input-file | FileCheck %s --check-prefix=ALL

// Products are transposed by their letters alone, a bias gets a sum of what it was repeated along.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32> {tgraph.name = "x"}, %[[W:.*]]: tensor<6x5xf32> {tgraph.name = "w"}, %{{.*}}: tensor<5xf32> {tgraph.name = "b"})
// CHECK-SAME: -> (tensor<f32> {tgraph.name = "loss"}, tensor<6x5xf32> {tgraph.name = "grad.w"}, tensor<5xf32> {tgraph.name = "grad.b"})
// CHECK: %[[Y:.*]] = tgraph.tanh
// CHECK: %[[LOSS:.*]] = tgraph.reduce add %[[Y]]
// CHECK: %[[G:.*]] = tgraph.mul
// CHECK: %[[B1:.*]] = tgraph.reduce add %[[G]] dims [0] : tensor<4x5xf32> -> tensor<5xf32>
// CHECK: %[[GW:.*]] = tgraph.contract "mn,mk->kn" %[[G]], %[[X]] : tensor<4x5xf32>, tensor<4x6xf32> -> tensor<6x5xf32>
// CHECK: return %[[LOSS]], %[[GW]], %[[B1]]

// By all arguments that are floats.
// ALL: {tgraph.name = "grad.x"}, {{.*}} {tgraph.name = "grad.w"}, {{.*}} {tgraph.name = "grad.b"}
func.func @main(%x: tensor<4x6xf32> {tgraph.name = "x"}, %w: tensor<6x5xf32> {tgraph.name = "w"}, %b: tensor<5xf32> {tgraph.name = "b"}) -> (tensor<f32> {tgraph.name = "loss"}) {
  %0 = tgraph.contract "mk,kn->mn" %x, %w : tensor<4x6xf32>, tensor<6x5xf32> -> tensor<4x5xf32>
  %1 = tgraph.reshape %b : tensor<5xf32> -> tensor<1x5xf32>
  %2 = tgraph.expand %1 : tensor<1x5xf32> -> tensor<4x5xf32>
  %3 = tgraph.add %0, %2 : tensor<4x5xf32>
  %4 = tgraph.tanh %3 : tensor<4x5xf32>
  %5 = tgraph.reduce add %4 dims [0, 1] : tensor<4x5xf32> -> tensor<f32>
  return %5 : tensor<f32>
}

// -----

// A result of several elements is weighted; what does not depend on a parameter is not touched.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<4xf32> {tgraph.name = "seed.loss"})
// CHECK: %[[N:.*]] = tgraph.arg_reduce
// CHECK-NOT: tgraph.scatter
// CHECK: return
func.func @main(%w: tensor<4xf32> {tgraph.name = "w"}, %b: tensor<4xf32> {tgraph.name = "b"}) -> (tensor<4xf32> {tgraph.name = "loss"}) {
  %0 = tgraph.arg_reduce max %w dim 0 : tensor<4xf32> -> tensor<i64>
  %1 = tgraph.gather %b, %0 {axis = 0 : i64} : tensor<4xf32>, tensor<i64> -> tensor<f32>
  %2 = tgraph.reshape %1 : tensor<f32> -> tensor<1xf32>
  %3 = tgraph.expand %2 : tensor<1xf32> -> tensor<4xf32>
  %4 = tgraph.floor %3 : tensor<4xf32>
  %5 = tgraph.mul %w, %4 : tensor<4xf32>
  return %5 : tensor<4xf32>
}

// -----

// What a recurrence gives its weights is one product of what all iterations stack.
// CHECK-LABEL: func.func @main(
// CHECK: %[[BACK:.*]]:{{.*}} = tgraph.for 5 reverse
// CHECK-NOT: "bn,bk->nk"
// CHECK: tgraph.yield
// CHECK: %[[W:.*]] = tgraph.contract "abn,abk->nk" %[[BACK]]#{{[0-9]}}, %{{.*}} : tensor<5x2x4xf32>, tensor<5x2x4xf32> -> tensor<4x4xf32>
// CHECK: return %{{.*}}, %[[W]]
func.func @main(%w: tensor<4x4xf32> {tgraph.name = "w"}, %b: tensor<2x4xf32> {tgraph.name = "b"}) -> (tensor<f32> {tgraph.name = "loss"}) {
  %r = tgraph.for 5 carried(%s = %b : tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = tgraph.contract "bk,nk->bn" %s, %w : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
    %1 = tgraph.tanh %0 : tensor<2x4xf32>
    tgraph.yield %1 : tensor<2x4xf32>
  }
  %l = tgraph.reduce add %r dims [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// A product of many terms is stacked on the way there, not computed again on the way back.
// CHECK-LABEL: func.func @main(
// CHECK: tgraph.for 5 carried
// CHECK: %[[Z:.*]] = tgraph.contract "bk,nk->bn"
// CHECK: tgraph.yield {{.*}}%[[Z]]
// CHECK: tgraph.for 5 reverse
// CHECK-NOT: "bk,nk->bn"
// CHECK: return
func.func @main(%w: tensor<40x40xf32> {tgraph.name = "w"}, %b: tensor<2x40xf32> {tgraph.name = "b"}) -> (tensor<f32> {tgraph.name = "loss"}) {
  %r = tgraph.for 5 carried(%s = %b : tensor<2x40xf32>) -> tensor<2x40xf32> {
    %0 = tgraph.contract "bk,nk->bn" %s, %w : tensor<2x40xf32>, tensor<40x40xf32> -> tensor<2x40xf32>
    %1 = tgraph.mul %0, %0 : tensor<2x40xf32>
    %2 = tgraph.sin %1 : tensor<2x40xf32>
    tgraph.yield %2 : tensor<2x40xf32>
  }
  %l = tgraph.reduce add %r dims [0, 1] : tensor<2x40xf32> -> tensor<f32>
  return %l : tensor<f32>
}
