// RUN: tensor-opt %s --tile-to-vector=lanes=4 --canonicalize --cse | FileCheck %s

// Steps of 1 and 2 lanes, each vector's total added to the ones after it.
// CHECK-LABEL: func.func @rows
// CHECK: %[[A:.*]] = vector.load
// CHECK: %[[B:.*]] = vector.maskedload
// CHECK: %[[A1:.*]] = vector.shuffle %[[A]], %{{.*}} [4, 0, 1, 2]
// CHECK: %[[A2:.*]] = arith.addf %[[A1]], %[[A]]
// CHECK: %[[A3:.*]] = vector.shuffle %[[A2]], %{{.*}} [4, 4, 0, 1]
// CHECK: %[[A4:.*]] = arith.addf %[[A3]], %[[A2]]
// CHECK: %[[L:.*]] = vector.extract %[[A4]][3]
// CHECK: vector.extract %{{.*}}[1]
// CHECK: %[[P:.*]] = vector.broadcast %[[L]]
// CHECK: arith.addf %[[P]], %{{.*}}
ttile.func @rows(%x: memref<6xf32>) results(%y: memref<8xf32>, %z: memref<1xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : memref<6xf32> -> tensor<6xf32>
  %s, %u = ttile.scan addf %t dim 0 : tensor<6xf32> -> tensor<1xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<6xf32> -> memref<8xf32>
  ttile.store %u, %z through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<1xf32> -> memref<1xf32>
  ttile.return
}

// Along rows, part after part; the last row is not in the scan of the one before.
// CHECK-LABEL: func.func @columns
// CHECK: %[[B:.*]] = vector.load
// CHECK: %[[C:.*]] = vector.load
// CHECK: %[[BC:.*]] = arith.maxsi %[[C]], %[[B]]
// CHECK: vector.store %[[BC]]
// CHECK: vector.store %[[C]]
// CHECK: vector.store %{{.*}}
ttile.func @columns(%x: memref<3x4xi32>) results(%y: memref<3x4xi32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() {in_bounds = array<i1: true, true>} : memref<3x4xi32> -> tensor<3x4xi32>
  %s, %u = ttile.scan maxs %t dim 0 exclusive reverse : tensor<3x4xi32> -> tensor<1x4xi32>
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() {in_bounds = array<i1: true, true>} : tensor<3x4xi32> -> memref<3x4xi32>
  ttile.return
}
