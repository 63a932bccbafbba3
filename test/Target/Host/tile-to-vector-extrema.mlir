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

// What another program reads is fetched, a line for each vector; as far as the second-level cache what
// is read later.
// CHECK-LABEL: func.func @ahead
// CHECK: %[[V:.*]] = vector.load %[[X:.*]][%c0]
// CHECK: memref.prefetch %[[X]][%c12], read, locality<3>, data
// CHECK: memref.prefetch %[[X]][%c8], read, locality<2>, data
// CHECK: vector.store %[[V]]
ttile.func @ahead(%x: memref<16xf32>) results(%y: memref<4xf32>, %z: memref<4xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>, ttile.ahead = 12 : i64} : memref<16xf32> -> tensor<4xf32>
  %u = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>, ttile.ahead = 8 : i64, ttile.far} : memref<16xf32> -> tensor<4xf32>
  ttile.store %u, %z through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<4xf32> -> memref<4xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<4xf32> -> memref<4xf32>
  ttile.return
}

// Scalars beside each other, and groups of narrow elements, are fetched by lines: one for the 16 floats from the first
// on, another for what follows; one for 32 elements of 16 bits.
// CHECK-LABEL: func.func @lines
// CHECK-COUNT-2: memref.prefetch %{{.*}}, read, locality<2>, data : memref<100xf32>
// CHECK-NOT: memref.prefetch %{{.*}} memref<100xf32>
// CHECK: memref.prefetch %{{.*}}, read, locality<2>, data : memref<64xbf16>
// CHECK-NOT: memref.prefetch
// CHECK: return
ttile.func @lines(%x: memref<100xf32>, %z: memref<64xbf16>) results(%y: memref<20xf32>, %w: memref<32xbf16>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0)>>() {in_bounds = array<i1: true>, ttile.ahead = 40 : i64, ttile.far} : memref<100xf32> -> tensor<20x1xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<20x1xf32> -> memref<20xf32>
  %u = ttile.load %z through #tview.map<affine_map<(d0, d1) -> (d1 * 2 + d0)>>() {in_bounds = array<i1: true>, ttile.ahead = 32 : i64, ttile.far} : memref<64xbf16> -> tensor<2x16xbf16>
  ttile.store %u, %w through #tview.map<affine_map<(d0, d1) -> (d1 * 2 + d0)>>() {in_bounds = array<i1: true>} : tensor<2x16xbf16> -> memref<32xbf16>
  ttile.return
}

// Of several, one instruction each, the signs in their bits, NaN two by two.
// CHECK-LABEL: func.func @chain
// CHECK: %[[A:.*]] = vector.load {{.*}}[%c0]
// CHECK: %[[B:.*]] = vector.load {{.*}}[%c4]
// CHECK: %[[C:.*]] = vector.load {{.*}}[%c8]
// CHECK-NOT: arith.maximumf
// CHECK: arith.cmpf ogt, %[[A]], %[[B]]
// CHECK: %[[S:.*]] = arith.andi
// CHECK: %[[AB:.*]] = arith.cmpf ord, %[[A]], %[[B]]
// CHECK: arith.andi %[[S]]
// CHECK: %[[Z:.*]] = arith.cmpf oeq
// CHECK: arith.select %[[Z]]
// CHECK: %[[CC:.*]] = arith.cmpf ord, %[[C]], %[[C]]
// CHECK: %[[O:.*]] = arith.andi %[[AB]], %[[CC]]
// CHECK: arith.select %[[O]]
ttile.func @chain(%x: memref<12xf32>) results(%y: memref<4xf32>) {
  %a = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : memref<12xf32> -> tensor<4xf32>
  %b = ttile.load %x through #tview.map<affine_map<(d0) -> (d0 + 4)>>() {in_bounds = array<i1: true>} : memref<12xf32> -> tensor<4xf32>
  %c = ttile.load %x through #tview.map<affine_map<(d0) -> (d0 + 8)>>() {in_bounds = array<i1: true>} : memref<12xf32> -> tensor<4xf32>
  %m = arith.maximumf %a, %b : tensor<4xf32>
  %n = arith.maximumf %m, %c : tensor<4xf32>
  ttile.store %n, %y through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<4xf32> -> memref<4xf32>
  ttile.return
}
