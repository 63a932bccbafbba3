// Round trip of branches and loops.
// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @if
func.func @if(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<2xi64>) -> (tensor<4xf32>, tensor<2xi64>) {
  // CHECK: %{{.*}}:2 = tgraph.if %{{.*}} -> tensor<4xf32>, tensor<2xi64> {
  // CHECK:   tgraph.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<2xi64>
  // CHECK: } else {
  // CHECK: }
  %r:2 = tgraph.if %c -> tensor<4xf32>, tensor<2xi64> {
    %0 = tgraph.exp %x : tensor<4xf32>
    tgraph.yield %0, %y : tensor<4xf32>, tensor<2xi64>
  } else {
    tgraph.yield %x, %y : tensor<4xf32>, tensor<2xi64>
  }
  // CHECK: tgraph.if %{{.*}} {
  // CHECK-NEXT:   tgraph.yield
  tgraph.if %c {
    tgraph.yield
  } else {
    tgraph.yield
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<2xi64>
}

// CHECK-LABEL: func.func @for
func.func @for(%h: tensor<4xf32>, %x: tensor<10x4xf32>, %n: tensor<i64>) -> (tensor<4xf32>, tensor<10x4xf32>, tensor<4xf32>) {
  // CHECK: tgraph.for 10 reverse carried(%[[S:.*]] = %{{.*}} : tensor<4xf32>) slices(%[[X:.*]] = %{{.*}} : tensor<10x4xf32>) -> tensor<4xf32>, tensor<10x4xf32> {
  // CHECK:   tgraph.add %[[S]], %[[X]] : tensor<4xf32>
  %r:2 = tgraph.for 10 reverse carried(%s = %h : tensor<4xf32>) slices(%t = %x : tensor<10x4xf32>) -> tensor<4xf32>, tensor<10x4xf32> {
    %0 = tgraph.add %s, %t : tensor<4xf32>
    tgraph.yield %0, %s : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: tgraph.for %{{.*}} : tensor<i64> limit 4096 carried(%{{.*}} = %{{.*}} : tensor<4xf32>) -> tensor<4xf32> {
  %q = tgraph.for %n : tensor<i64> limit 4096 carried(%s = %h : tensor<4xf32>) -> tensor<4xf32> {
    %0 = tgraph.add %s, %s : tensor<4xf32>
    tgraph.yield %0 : tensor<4xf32>
  }
  // CHECK: tgraph.for 3 {
  tgraph.for 3 {
    tgraph.yield
  }
  return %r#0, %r#1, %q : tensor<4xf32>, tensor<10x4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @for_symbolic
func.func @for_symbolic(%x: tensor<?x4xf32, #tgraph.dims<[T, 4]>>) -> tensor<?x?xf32, #tgraph.dims<[T, T]>>
    attributes {tgraph.symbols = {T = #tgraph.symbol<min = 1, max = 64, step = 1>}} {
  // CHECK: tgraph.for #tgraph.dims<[T]> slices(%{{.*}} = %{{.*}} : tensor<?x4xf32, #tgraph.dims<[T, 4]>>) -> tensor<?x?xf32, #tgraph.dims<[T, T]>> {
  %r = tgraph.for #tgraph.dims<[T]> slices(%s = %x : tensor<?x4xf32, #tgraph.dims<[T, 4]>>) -> tensor<?x?xf32, #tgraph.dims<[T, T]>> {
    %0 = tgraph.contract "d,td->t" %s, %x : tensor<4xf32>, tensor<?x4xf32, #tgraph.dims<[T, 4]>> -> tensor<?xf32, #tgraph.dims<[T]>>
    tgraph.yield %0 : tensor<?xf32, #tgraph.dims<[T]>>
  }
  return %r : tensor<?x?xf32, #tgraph.dims<[T, T]>>
}

// CHECK-LABEL: func.func @while
func.func @while(%c: tensor<i1>, %x: tensor<f32>, %half: tensor<f32>, %end: tensor<f32>) -> tensor<f32> {
  // CHECK: tgraph.while (%{{.*}} = %{{.*}} : tensor<i1>, %{{.*}} = %{{.*}} : tensor<f32>) limit 4096 {
  %r:2 = tgraph.while (%more = %c : tensor<i1>, %s = %x : tensor<f32>) limit 4096 {
    %0 = tgraph.mul %s, %half : tensor<f32>
    %1 = tgraph.compare gt, %0, %end : tensor<f32>
    tgraph.yield %1, %0 : tensor<i1>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}
