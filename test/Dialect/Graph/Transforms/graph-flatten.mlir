// Small loops are unrolled, cheap branches computed on both sides.
// RUN: tensor-opt %s --graph-flatten=most-ops=8 | FileCheck %s

// CHECK-LABEL: func.func @unrolled
// CHECK-NOT: tgraph.for
// CHECK: %[[S0:.*]] = tgraph.slice %arg1 offsets [0, 0] sizes [1, 4] strides [1, 1] : tensor<2x4xf32> -> tensor<1x4xf32>
// CHECK: %[[T0:.*]] = tgraph.reshape %[[S0]] : tensor<1x4xf32> -> tensor<4xf32>
// CHECK: %[[A0:.*]] = tgraph.add %arg0, %[[T0]]
// CHECK: %[[U0:.*]] = tgraph.reshape %arg0 : tensor<4xf32> -> tensor<1x4xf32>
// CHECK: tgraph.slice %arg1 offsets [1, 0] sizes [1, 4] strides [1, 1]
// CHECK: %[[A1:.*]] = tgraph.add %[[A0]], %{{.*}}
// CHECK: %[[U1:.*]] = tgraph.reshape %[[A0]]
// CHECK: %[[U:.*]] = tgraph.concat %[[U0]], %[[U1]] dim 0
// CHECK: return %[[A1]], %[[U]]
func.func @unrolled(%x: tensor<4xf32>, %y: tensor<2x4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>) {
  %r:2 = tgraph.for 2 carried(%s = %x : tensor<4xf32>) slices(%t = %y : tensor<2x4xf32>) -> tensor<4xf32>, tensor<2x4xf32> {
    %0 = tgraph.add %s, %t : tensor<4xf32>
    tgraph.yield %0, %s : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @reverse
// CHECK: tgraph.slice %arg1 offsets [1, 0]
// CHECK: tgraph.slice %arg1 offsets [0, 0]
func.func @reverse(%x: tensor<4xf32>, %y: tensor<2x4xf32>) -> tensor<4xf32> {
  %r = tgraph.for 2 reverse carried(%s = %x : tensor<4xf32>) slices(%t = %y : tensor<2x4xf32>) -> tensor<4xf32> {
    %0 = tgraph.add %s, %t : tensor<4xf32>
    tgraph.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Five times two ops are more than eight; moving elements is no op that computes.
// CHECK-LABEL: func.func @long
// CHECK: tgraph.for 5
// CHECK-NOT: tgraph.for 4
func.func @long(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = tgraph.for 5 carried(%s = %x : tensor<4xf32>) -> tensor<4xf32> {
    %0 = tgraph.exp %s : tensor<4xf32>
    %1 = tgraph.neg %0 : tensor<4xf32>
    tgraph.yield %1 : tensor<4xf32>
  }
  %q = tgraph.for 4 carried(%s = %x : tensor<4xf32>) -> tensor<4xf32> {
    %0 = tgraph.exp %s : tensor<4xf32>
    %1 = tgraph.neg %0 : tensor<4xf32>
    %2 = tgraph.flip %1 dims [0] : tensor<4xf32>
    tgraph.yield %2 : tensor<4xf32>
  }
  return %r, %q : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @none_and_one
// CHECK-NOT: tgraph.for
// CHECK-DAG: %[[EMPTY:.*]] = tgraph.constant dense<> : tensor<0x4xf32>
// CHECK-DAG: %[[E:.*]] = tgraph.exp
// CHECK: return %arg0, %[[EMPTY]], %[[E]]
func.func @none_and_one(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<0x4xf32>, tensor<4xf32>) {
  %r:2 = tgraph.for 0 carried(%s = %x : tensor<4xf32>) -> tensor<4xf32>, tensor<0x4xf32> {
    %0 = tgraph.exp %s : tensor<4xf32>
    tgraph.yield %0, %s : tensor<4xf32>, tensor<4xf32>
  }
  %q = tgraph.for 1 carried(%s = %x : tensor<4xf32>) -> tensor<4xf32> {
    %0 = tgraph.exp %s : tensor<4xf32>
    tgraph.yield %0 : tensor<4xf32>
  }
  return %r#0, %r#1, %q : tensor<4xf32>, tensor<0x4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @select
// CHECK: %[[E:.*]] = tgraph.exp %arg1
// CHECK: %[[C:.*]] = tgraph.expand
// CHECK: tgraph.select %[[C]], %[[E]], %arg1
func.func @select(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = tgraph.if %c -> tensor<4xf32> {
    %0 = tgraph.exp %x : tensor<4xf32>
    tgraph.yield %0 : tensor<4xf32>
  } else {
    tgraph.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A sum, or five functions, cost more than choosing.
// CHECK-LABEL: func.func @branches
// CHECK-COUNT-2: tgraph.if
func.func @branches(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %zero = tgraph.constant dense<0.0> : tensor<f32>
  %r = tgraph.if %c -> tensor<f32> {
    %0 = tgraph.reduce add %x dims [0] : tensor<4xf32> -> tensor<f32>
    tgraph.yield %0 : tensor<f32>
  } else {
    tgraph.yield %zero : tensor<f32>
  }
  %q = tgraph.if %c -> tensor<4xf32> {
    %0 = tgraph.exp %x : tensor<4xf32>
    %1 = tgraph.exp %0 : tensor<4xf32>
    %2 = tgraph.exp %1 : tensor<4xf32>
    %3 = tgraph.exp %2 : tensor<4xf32>
    %4 = tgraph.exp %3 : tensor<4xf32>
    tgraph.yield %4 : tensor<4xf32>
  } else {
    tgraph.yield %x : tensor<4xf32>
  }
  return %r, %q : tensor<f32>, tensor<4xf32>
}
