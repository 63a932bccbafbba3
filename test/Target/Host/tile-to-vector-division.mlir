// RUN: tensor-opt %s --tile-to-vector=lanes=4 --canonicalize --cse | FileCheck %s
// RUN: tensor-opt %s --tile-to-vector="lanes=4 exact-division=false" --canonicalize --cse | FileCheck %s --check-prefix=SHORT

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

// Of what lies between 0 and 1, nothing is tested; without the correction where that is allowed.
// CHECK-LABEL: func.func @fractions
// CHECK: vector.reduction <and>
// CHECK-COUNT-6: math.fma
// SHORT-LABEL: func.func @fractions
// SHORT-NOT: vector.reduction
// SHORT: scf.if %{{.*}} -> (vector<4xf32>, vector<4xf32>)
// SHORT-COUNT-2: math.fma
// SHORT-NOT: math.fma
// SHORT: } else {
// SHORT-COUNT-2: arith.divf {{.*}} : vector<4xf32>
ttile.func @fractions(%x: memref<8xf32>, %s: memref<1xf32>) results(%y: memref<8xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : memref<8xf32> -> tensor<8xf32>
  %u = ttile.load %s through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : memref<1xf32> -> tensor<1xf32>
  %v = ttile.broadcast %u : tensor<1xf32> -> tensor<8xf32>
  %q = arith.divf %t, %v {ttile.fraction} : tensor<8xf32>
  ttile.store %q, %y through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<8xf32> -> memref<8xf32>
  ttile.return
}

// Rows of one vector, in a loop: reciprocals of two divisors outside of it, and one test of both rows.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for
// CHECK-COUNT-1: vector.reduction <and>
// CHECK: scf.if %{{.*}} -> (vector<4xf32>, vector<4xf32>)
ttile.func @rows(%x: memref<2x8xf32>, %s: memref<2xf32>) results(%y: memref<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %u = ttile.load %s through #tview.map<affine_map<(d0, d1) -> (d0)>>() {in_bounds = array<i1: true>} : memref<2xf32> -> tensor<2x1xf32>
  scf.for %j = %c0 to %c2 step %c1 {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d0, d2 * 4 + d1)>>(%j) {in_bounds = array<i1: true, true>} : memref<2x8xf32> -> tensor<2x4xf32>
    %v = ttile.broadcast %u : tensor<2x1xf32> -> tensor<2x4xf32>
    %q = arith.divf %t, %v : tensor<2x4xf32>
    ttile.store %q, %y through #tview.map<affine_map<(d0, d1, d2) -> (d0, d2 * 4 + d1)>>(%j) {in_bounds = array<i1: true, true>} : tensor<2x4xf32> -> memref<2x8xf32>
  }
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
