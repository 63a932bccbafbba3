// RUN: tensor-opt %s --view-to-kernel | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK: tkernel.kernel @gather (%i : 2, %j : 3, %k : 4) reads(%[[I:.*]] = %{{.*}} : tensor<2x3xi64>, %[[T:.*]] = %{{.*}} : tensor<8x4xf32>)
// CHECK: %[[V:.*]] = tkernel.load %[[I]][%i, %j] : tensor<2x3xi64>
// CHECK: %[[X:.*]] = arith.index_cast %[[V]] : i64 to index
// CHECK: tkernel.load %[[T]][%[[X]], %k] : tensor<8x4xf32>
func.func @rows(%t: tensor<8x4xf32>, %i: tensor<2x3xi64>) -> tensor<2x3x4xf32> {
  %r = tgraph.gather %t, %i {axis = 0 : i64} : tensor<8x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @batched
// CHECK: tkernel.kernel @gather (%i : 2, %j : 5, %k : 3, %l : 7)
// CHECK: %[[V:.*]] = tkernel.load %{{.*}}[%i, %k] : tensor<2x3xi32>
// CHECK: %[[X:.*]] = arith.index_cast %[[V]] : i32 to index
// CHECK: %[[W:.*]] = tkernel.load %{{.*}}[%i, %k] : tensor<2x3xi32>
// CHECK: %[[Y:.*]] = arith.index_cast %[[W]] : i32 to index
// CHECK: tkernel.load %{{.*}}[%i, %j, %[[X]], %[[Y]], %l] : tensor<2x5x4x6x7xf32>
func.func @batched(%t: tensor<2x5x4x6x7xf32>, %a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> tensor<2x5x3x7xf32> {
  %r = tgraph.gather %t, %a, %b {axis = 2 : i64, batch_dims = 1 : i64}
      : tensor<2x5x4x6x7xf32>, tensor<2x3xi32>, tensor<2x3xi32> -> tensor<2x5x3x7xf32>
  return %r : tensor<2x5x3x7xf32>
}

// The last row of one at the least is inside; of none there may be no last one, and zero is read.
// CHECK-LABEL: func.func @last_row
// CHECK: tkernel.kernel @gather (%i : 4) reads(%[[T:.*]] = %{{.*}} : tensor<9x4xf32, #tview.sizes<[S, 4]>>)
// CHECK-NEXT: %[[P:.*]] = tkernel.size <[S - 1]> {tkernel.below = #tview.sizes<[S]>}
// CHECK-NEXT: tkernel.load %[[T]][%[[P]], %i]
func.func @last_row(%t: tensor<?x4xf32, #tgraph.dims<[S, 4]>>) -> tensor<4xf32> attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 9, step = 1>}} {
  %p = tgraph.size <[S - 1]> : tensor<i64>
  %r = tgraph.gather %t, %p {axis = 0 : i64} : tensor<?x4xf32, #tgraph.dims<[S, 4]>>, tensor<i64> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @last_row_of_none
// CHECK-NOT: tkernel.below
// CHECK-LABEL: func.func @row_behind_the_last
// CHECK-NOT: tkernel.below
func.func @last_row_of_none(%t: tensor<?x4xf32, #tgraph.dims<[S, 4]>>) -> tensor<4xf32> attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 9, step = 1>}} {
  %p = tgraph.size <[S - 1]> : tensor<i64>
  %r = tgraph.gather %t, %p {axis = 0 : i64} : tensor<?x4xf32, #tgraph.dims<[S, 4]>>, tensor<i64> -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @row_behind_the_last(%t: tensor<?x4xf32, #tgraph.dims<[S, 4]>>) -> tensor<4xf32> attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 9, step = 1>}} {
  %p = tgraph.size <[S]> : tensor<i64>
  %r = tgraph.gather %t, %p {axis = 0 : i64} : tensor<?x4xf32, #tgraph.dims<[S, 4]>>, tensor<i64> -> tensor<4xf32>
  return %r : tensor<4xf32>
}
