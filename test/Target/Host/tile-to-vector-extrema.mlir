// RUN: tensor-opt %s --tile-to-vector=lanes=4 --canonicalize | FileCheck %s

// With a number one comparison does: false for NaN, which stays.
// CHECK-LABEL: func.func @extrema
// CHECK: %[[M:.*]] = arith.maximumf
// CHECK: %[[L:.*]] = arith.cmpf olt, %[[C:.*]], %[[M]]
// CHECK-NEXT: arith.select %[[L]], %[[C]], %[[M]]
ttile.func @extrema(%x: memref<4xf32>, %z: memref<4xf32>) results(%y: memref<4xf32>) {
  %six = arith.constant dense<6.0> : tensor<4xf32>
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : memref<4xf32> -> tensor<4xf32>
  %u = ttile.load %z through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : memref<4xf32> -> tensor<4xf32>
  %m = arith.maximumf %t, %u : tensor<4xf32>
  %n = arith.minimumf %six, %m : tensor<4xf32>
  ttile.store %n, %y through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<4xf32> -> memref<4xf32>
  ttile.return
}

// What another program reads is fetched, a line for each vector.
// CHECK-LABEL: func.func @ahead
// CHECK: %[[V:.*]] = vector.load %[[X:.*]][%c0]
// CHECK: memref.prefetch %[[X]][%c12], read, locality<3>, data
// CHECK: vector.store %[[V]]
ttile.func @ahead(%x: memref<16xf32>) results(%y: memref<4xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>, ttile.ahead = 12 : i64} : memref<16xf32> -> tensor<4xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<4xf32> -> memref<4xf32>
  ttile.return
}
