// RUN: tensor-opt %s --tile-to-vector=lanes=4 --canonicalize --cse | FileCheck %s

// Two vectors by one number: products with its reciprocal, and a correction, while nothing leaves
// the range of normal numbers.
// CHECK-LABEL: func.func @row
// CHECK: %[[S:.*]] = memref.load
// CHECK: %[[Y:.*]] = arith.divf %{{.*}}, %[[S]] : f32
// CHECK: %[[L:.*]] = arith.cmpf oge
// CHECK: vector.reduction <and>
// CHECK: scf.if %{{.*}} -> (vector<4xf32>, vector<4xf32>)
// CHECK-COUNT-6: math.fma
// CHECK: } else {
// CHECK-COUNT-2: arith.divf {{.*}} : vector<4xf32>
ttile.func @row(%x: memref<8xf32>, %s: memref<1xf32>) results(%y: memref<8xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : memref<8xf32> -> tensor<8xf32>
  %u = ttile.load %s through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : memref<1xf32> -> tensor<1xf32>
  %v = ttile.broadcast %u : tensor<1xf32> -> tensor<8xf32>
  %q = arith.divf %t, %v : tensor<8xf32>
  ttile.store %q, %y through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<8xf32> -> memref<8xf32>
  ttile.return
}

// A divisor for each element, or a single vector: a division.
// CHECK-LABEL: func.func @elements
// CHECK-NOT: scf.if
// CHECK-COUNT-2: arith.divf {{.*}} : vector<4xf32>
ttile.func @elements(%x: memref<8xf32>) results(%y: memref<8xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : memref<8xf32> -> tensor<8xf32>
  %u = math.absf %t : tensor<8xf32>
  %q = arith.divf %t, %u : tensor<8xf32>
  ttile.store %q, %y through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<8xf32> -> memref<8xf32>
  ttile.return
}
