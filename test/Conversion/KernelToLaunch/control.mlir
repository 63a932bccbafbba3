// Branches and loops of host programs: what is written in place, what rotates, what is copied.
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --kernel-to-launch=target=host | FileCheck %s

// Both sides write the result where the caller wants it.
// CHECK-LABEL: tlaunch.func @branch
// CHECK-SAME: results(%[[Y:.*]]: !tlaunch.buffer<tensor<2xf32>>)
// CHECK: tlaunch.if %{{.*}} : !tlaunch.buffer<tensor<i1>> {
// CHECK-NEXT: tlaunch.launch @exp reads(%[[X:.*]] : {{.*}}) writes(%[[Y]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: tlaunch.copy %[[X]] to %[[Y]]
// CHECK-NEXT: }
// CHECK-NEXT: tlaunch.return
func.func @branch(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %r = tgraph.if %c -> tensor<2xf32> {
    %0 = tgraph.exp %x : tensor<2xf32>
    tgraph.yield %0 : tensor<2xf32>
  } else {
    tgraph.yield %x : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// A carried value has two buffers; slices are parts of what is whole, and what is stacked is written
// into the caller's result. What is carried and stacked is copied once.
// CHECK-LABEL: tlaunch.func @loop
// CHECK-SAME: %[[H:arg0]]: {{.*}}%[[X:arg1]]: {{.*}}results(%[[R:.*]]: !tlaunch.buffer<tensor<2xf32>>, %[[S:.*]]: !tlaunch.buffer<tensor<10x2xf32>>)
// CHECK: %[[A:.*]] = tlaunch.reserve : !tlaunch.buffer<tensor<2xf32>>
// CHECK: tlaunch.copy %[[H]] to %[[A]]
// CHECK: %[[B:.*]] = tlaunch.reserve : !tlaunch.buffer<tensor<2xf32>>
// CHECK: tlaunch.repeat 10 {
// CHECK-NEXT: %[[P:.*]] = tlaunch.part reverse %[[X]]
// CHECK-NEXT: %[[Q:.*]] = tlaunch.part reverse %[[S]]
// CHECK-NEXT: tlaunch.launch @add reads(%[[A]], %[[P]] : {{.*}}) writes(%[[B]] :
// CHECK-NEXT: tlaunch.copy %[[B]] to %[[Q]]
// CHECK-NEXT: tlaunch.rotate %[[A]], %[[B]]
// CHECK-NEXT: }
// CHECK-NEXT: tlaunch.copy %[[A]] to %[[R]]
func.func @loop(%h: tensor<2xf32>, %x: tensor<10x2xf32>) -> (tensor<2xf32>, tensor<10x2xf32>) {
  %r:2 = tgraph.for 10 reverse carried(%s = %h : tensor<2xf32>) slices(%t = %x : tensor<10x2xf32>) -> tensor<2xf32>, tensor<10x2xf32> {
    %0 = tgraph.add %s, %t : tensor<2xf32>
    tgraph.yield %0, %0 : tensor<2xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<2xf32>, tensor<10x2xf32>
}

// What only the loop reads is its own buffer.
// CHECK-LABEL: tlaunch.func @own
// CHECK: %[[A:.*]] = tlaunch.reserve
// CHECK: tlaunch.launch @exp {{.*}} writes(%[[A]] :
// CHECK-NOT: tlaunch.copy
// CHECK: tlaunch.repeat %{{.*}} : !tlaunch.buffer<tensor<i64>> limit 8 {
// CHECK: tlaunch.rotate %[[A]], %{{.*}}
func.func @own(%n: tensor<i64>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tgraph.exp %x : tensor<2xf32>
  %r = tgraph.for %n : tensor<i64> limit 8 carried(%s = %0 : tensor<2xf32>) -> tensor<2xf32> {
    %1 = tgraph.neg %s : tensor<2xf32>
    tgraph.yield %1 : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// The predicate has one buffer unless the body reads it.
// CHECK-LABEL: tlaunch.func @condition
// CHECK: %[[C:.*]] = tlaunch.reserve : !tlaunch.buffer<tensor<i1>>
// CHECK: tlaunch.copy %{{.*}} to %[[C]]
// CHECK: %[[A:.*]] = tlaunch.reserve : !tlaunch.buffer<tensor<f32>>
// CHECK: tlaunch.while %[[C]] : !tlaunch.buffer<tensor<i1>> limit 9 {
// CHECK: tlaunch.launch @compare {{.*}} writes(%[[C]] :
// CHECK-NEXT: tlaunch.rotate %[[A]], %{{.*}} : !tlaunch.buffer<tensor<f32>>
// CHECK-NEXT: }
func.func @condition(%c: tensor<i1>, %x: tensor<f32>, %end: tensor<f32>) -> tensor<f32> {
  %r:2 = tgraph.while (%p = %c : tensor<i1>, %s = %x : tensor<f32>) limit 9 {
    %0 = tgraph.add %s, %s : tensor<f32>
    %1 = tgraph.compare lt, %0, %end : tensor<f32>
    tgraph.yield %1, %0 : tensor<i1>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}

// CHECK-LABEL: tlaunch.func @condition_read
// CHECK: tlaunch.while %[[C:.*]] : !tlaunch.buffer<tensor<i1>> limit 9 {
// CHECK: tlaunch.rotate %[[C]], %{{.*}} : !tlaunch.buffer<tensor<i1>>
func.func @condition_read(%c: tensor<i1>) -> tensor<i1> {
  %r = tgraph.while (%p = %c : tensor<i1>) limit 9 {
    %0 = tgraph.not %p : tensor<i1>
    tgraph.yield %0 : tensor<i1>
  }
  return %r : tensor<i1>
}
