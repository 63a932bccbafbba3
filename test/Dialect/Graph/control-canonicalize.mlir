// Canonical forms of branches and loops.
// RUN: tensor-opt %s --canonicalize --loop-invariant-code-motion --cse | FileCheck %s

// CHECK-LABEL: func.func @known_side
// CHECK-NEXT: %[[R:.*]] = tgraph.exp
// CHECK-NEXT: return %[[R]]
func.func @known_side(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tgraph.constant dense<true> : tensor<i1>
  %r = tgraph.if %c -> tensor<4xf32> {
    %0 = tgraph.exp %x : tensor<4xf32>
    tgraph.yield %0 : tensor<4xf32>
  } else {
    tgraph.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// The first result is the same on both sides, nothing reads the third one.
// CHECK-LABEL: func.func @results_of_if
// CHECK: %[[R:.*]] = tgraph.if %{{.*}} -> tensor<4xf32> {
// CHECK: return %arg1, %[[R]]
func.func @results_of_if(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:3 = tgraph.if %c -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32> {
    %0 = tgraph.exp %x : tensor<4xf32>
    tgraph.yield %x, %y, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } else {
    tgraph.yield %x, %x, %y : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @known_count
// CHECK: tgraph.for 7 carried
func.func @known_count(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = tgraph.constant dense<7> : tensor<i64>
  %r = tgraph.for %n : tensor<i64> limit 8 carried(%s = %x : tensor<4xf32>) -> tensor<4xf32> {
    %0 = tgraph.exp %s : tensor<4xf32>
    tgraph.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// That call fails.
// CHECK-LABEL: func.func @count_above_limit
// CHECK: tgraph.for %{{.*}} : tensor<i64> limit 6
func.func @count_above_limit(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = tgraph.constant dense<7> : tensor<i64>
  %r = tgraph.for %n : tensor<i64> limit 6 carried(%s = %x : tensor<4xf32>) -> tensor<4xf32> {
    %0 = tgraph.exp %s : tensor<4xf32>
    tgraph.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// %b does not change, %d is read by what makes itself alone; a slice and a stacked result are not read.
// CHECK-LABEL: func.func @dead
// CHECK-NEXT: %[[R:.*]] = tgraph.for 100 carried(%[[A:.*]] = %arg0 : tensor<4xf32>) slices(%[[T:.*]] = %arg2 : tensor<100x4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:   %[[S:.*]] = tgraph.add %[[A]], %arg1
// CHECK-NEXT:   %[[U:.*]] = tgraph.mul %[[S]], %[[T]]
// CHECK-NEXT:   tgraph.yield %[[U]]
// CHECK: return %[[R]], %arg1
func.func @dead(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<100x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:4 = tgraph.for 100 carried(%a = %x : tensor<4xf32>, %b = %y : tensor<4xf32>, %d = %x : tensor<4xf32>)
      slices(%s = %z : tensor<100x4xf32>, %t = %z : tensor<100x4xf32>) -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<100x4xf32> {
    %0 = tgraph.add %a, %b : tensor<4xf32>
    %1 = tgraph.mul %0, %t : tensor<4xf32>
    %2 = tgraph.mul %d, %s : tensor<4xf32>
    tgraph.yield %1, %b, %2, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// Values that depend on each other in turn live as long as one of them is read.
// CHECK-LABEL: func.func @swapped
// CHECK: tgraph.for 100 carried(%[[A:.*]] = %arg0 : tensor<4xf32>, %[[B:.*]] = %arg1 : tensor<4xf32>)
// CHECK: tgraph.yield %[[B]], %[[A]]
func.func @swapped(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r:2 = tgraph.for 100 carried(%a = %x : tensor<4xf32>, %b = %y : tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32> {
    tgraph.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0 : tensor<4xf32>
}

// What does not depend on the iteration is computed before the loop, also out of a branch in it: no side
// effect holds it back.
// CHECK-LABEL: func.func @invariant
// CHECK-NEXT: %[[E:.*]] = tgraph.exp %arg1
// CHECK-NEXT: tgraph.for
// CHECK-NEXT:   tgraph.add %{{.*}}, %[[E]]
func.func @invariant(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = tgraph.for 100 carried(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %0 = tgraph.exp %y : tensor<4xf32>
    %1 = tgraph.add %a, %0 : tensor<4xf32>
    tgraph.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @never
// CHECK-NEXT: return %arg0
func.func @never(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tgraph.constant dense<false> : tensor<i1>
  %r:2 = tgraph.while (%p = %c : tensor<i1>, %a = %x : tensor<4xf32>) limit 8 {
    %1 = tgraph.exp %a : tensor<4xf32>
    tgraph.yield %p, %1 : tensor<i1>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// The predicate stays, %b does not change, %d is not read.
// CHECK-LABEL: func.func @dead_of_while
// CHECK: %[[R:.*]]:2 = tgraph.while (%{{.*}} = %arg0 : tensor<i1>, %{{.*}} = %arg1 : tensor<f32>) limit 8 {
// CHECK: return %[[R]]#1
func.func @dead_of_while(%c: tensor<i1>, %x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %r:4 = tgraph.while (%p = %c : tensor<i1>, %a = %x : tensor<f32>, %b = %y : tensor<f32>, %d = %y : tensor<f32>) limit 8 {
    %0 = tgraph.exp %a : tensor<f32>
    %1 = tgraph.exp %d : tensor<f32>
    %2 = tgraph.compare lt, %0, %b : tensor<f32>
    tgraph.yield %2, %0, %b, %1 : tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}

// Nothing reads any of it.
// CHECK-LABEL: func.func @unread
// CHECK-NEXT: return
func.func @unread(%c: tensor<i1>, %x: tensor<f32>) {
  %r:2 = tgraph.while (%p = %c : tensor<i1>, %a = %x : tensor<f32>) limit 8 {
    %0 = tgraph.exp %a : tensor<f32>
    tgraph.yield %p, %0 : tensor<i1>, tensor<f32>
  }
  return
}

// What is stacked takes the shape that it is asked for in; not where slices would be cut.
// CHECK-LABEL: func.func @reshaped
// CHECK: %[[R:.*]]:2 = tgraph.for 10 slices({{.*}}) -> tensor<10x1x2x4xf32>, tensor<10x8xf32> {
// CHECK:   %[[X:.*]] = tgraph.exp
// CHECK:   %[[Y:.*]] = tgraph.reshape %[[X]] : tensor<8xf32> -> tensor<1x2x4xf32>
// CHECK:   tgraph.yield %[[Y]], %[[X]]
// CHECK: %[[F:.*]] = tgraph.reshape %[[R]]#1 : tensor<10x8xf32> -> tensor<80xf32>
// CHECK: return %[[R]]#0, %[[F]]
func.func @reshaped(%x: tensor<10x8xf32>) -> (tensor<10x1x2x4xf32>, tensor<80xf32>) {
  %r:2 = tgraph.for 10 slices(%s = %x : tensor<10x8xf32>) -> tensor<10x8xf32>, tensor<10x8xf32> {
    %0 = tgraph.exp %s : tensor<8xf32>
    tgraph.yield %0, %0 : tensor<8xf32>, tensor<8xf32>
  }
  %a = tgraph.reshape %r#0 : tensor<10x8xf32> -> tensor<10x1x2x4xf32>
  %b = tgraph.reshape %r#1 : tensor<10x8xf32> -> tensor<80xf32>
  return %a, %b : tensor<10x1x2x4xf32>, tensor<80xf32>
}
