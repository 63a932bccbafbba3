// RUN: tensor-opt %s --tile-to-vector=lanes=4 --canonicalize | FileCheck %s

// NaN if either is, by comparisons that are false for it.
// CHECK-LABEL: func.func @extrema
// CHECK-DAG: %[[A:.*]] = vector.load %arg0
// CHECK-DAG: %[[B:.*]] = vector.load %arg1
// CHECK: %[[G:.*]] = arith.cmpf ogt, %[[B]], %[[A]]
// CHECK: %[[M:.*]] = arith.select %[[G]], %[[B]], %[[A]]
// CHECK: %[[N:.*]] = arith.cmpf uno, %[[B]], %[[B]]
// CHECK: %[[R:.*]] = arith.select %[[N]], %[[B]], %[[M]]
// With a number one comparison does.
// CHECK: %[[L:.*]] = arith.cmpf olt, %[[C:.*]], %[[R]]
// CHECK-NEXT: arith.select %[[L]], %[[C]], %[[R]]
// CHECK-NOT: arith.cmpf
ttile.func @extrema(%x: memref<4xf32>, %z: memref<4xf32>) results(%y: memref<4xf32>) {
  %six = arith.constant dense<6.0> : tensor<4xf32>
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : memref<4xf32> -> tensor<4xf32>
  %u = ttile.load %z through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : memref<4xf32> -> tensor<4xf32>
  %m = arith.maximumf %t, %u : tensor<4xf32>
  %n = arith.minimumf %six, %m : tensor<4xf32>
  ttile.store %n, %y through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<4xf32> -> memref<4xf32>
  ttile.return
}
