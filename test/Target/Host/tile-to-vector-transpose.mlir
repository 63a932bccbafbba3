// RUN: tensor-opt %s --tile-to-vector="lanes=4" --canonicalize --cse | FileCheck %s

// Memory is contiguous along the first dimension of the tile: four rows are loaded and transposed by two
// rounds of interleaving, nothing is gathered.
// CHECK-LABEL: func.func @transpose
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-2: vector.shuffle {{.*}} [0, 4, 1, 5]
// CHECK-NOT:     vector.gather
// CHECK-COUNT-4: vector.store
ttile.func @transpose(%x: memref<4x4xf32>) results(%y: memref<4x4xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>() {in_bounds = array<i1: true, true>} : memref<4x4xf32> -> tensor<4x4xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() {in_bounds = array<i1: true, true>} : tensor<4x4xf32> -> memref<4x4xf32>
  ttile.return
}

// Two rows of three: the block is filled up, spare lanes hold zeros.
// CHECK-LABEL: func.func @odd
// CHECK-COUNT-2: vector.maskedload
// CHECK-COUNT-3: vector.store
ttile.func @odd(%x: memref<2x3xf32>) results(%y: memref<3x2xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() {in_bounds = array<i1: true, true>} : memref<2x3xf32> -> tensor<2x3xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>() {in_bounds = array<i1: true, true>} : tensor<2x3xf32> -> memref<3x2xf32>
  ttile.return
}

// Sums of rows share vectors as they shrink: two rounds of two pairs and one; stored as a vector.
// CHECK-LABEL: func.func @sums
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-2: vector.shuffle {{.*}} [0, 1, 4, 5]
// CHECK-NOT:     vector.shuffle {{.*}} [2, 3, 0, 1]
// CHECK:         vector.shuffle {{.*}} [0, 2, 4, 6]
// CHECK:         vector.shuffle {{.*}} [1, 3, 5, 7]
// CHECK:         arith.addf
// CHECK-NOT:     memref.store
// CHECK:         vector.store
ttile.func @sums(%x: memref<4x4xf32>) results(%y: memref<4xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() {in_bounds = array<i1: true, true>} : memref<4x4xf32> -> tensor<4x4xf32>
  %s = ttile.reduce addf %t dims [1] : tensor<4x4xf32> -> tensor<4x1xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<4x1xf32> -> memref<4xf32>
  ttile.return
}

// Two rows whose elements lie between each other in memory: stored as one vector of both.
// CHECK-LABEL: func.func @between
// CHECK-COUNT-2: vector.load
// CHECK:         %[[BOTH:.*]] = vector.interleave {{.*}} : vector<4xf32> -> vector<8xf32>
// CHECK-NEXT:    vector.store %[[BOTH]]
// CHECK-NOT:     vector.store
// CHECK:         return
ttile.func @between(%x: memref<2x4xf32>) results(%y: memref<8xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() {in_bounds = array<i1: true, true>} : memref<2x4xf32> -> tensor<2x4xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 2 + d0)>>() {in_bounds = array<i1: true>} : tensor<2x4xf32> -> memref<8xf32>
  ttile.return
}

// Rows as far apart as a call settles, of booleans: each begins at a scalar, and what is transposed
// are the bytes of memory.
// CHECK-LABEL: func.func @settled
// CHECK-NOT:     vector.gather
// CHECK-COUNT-4: vector.load {{.*}} : memref<64xi8>, vector<4xi8>
// CHECK:         vector.shuffle {{.*}} : vector<4xi8>, vector<4xi8>
// CHECK:         arith.cmpi ne, {{.*}} : vector<4xi8>
// CHECK-COUNT-4: vector.store {{.*}} : memref<64xi8>, vector<4xi8>
// CHECK-NOT:     vector.scatter
// CHECK:         return
ttile.func @settled(%x: memref<64xi1>) results(%y: memref<64xi1>) symbols(%s = S <= 16) attributes {buffer_sizes = [#tview.sizes<[4, S]>, #tview.sizes<[4, S]>]} {
  %row = ttile.index affine_map<(d0, d1) -> (d1)>() : tensor<1x4xindex>
  %stride = ttile.index affine_map<(d0, d1, d2) -> (d2)>(%s) : tensor<1x4xindex>
  %at = arith.muli %row, %stride : tensor<1x4xindex>
  %v = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d0 + d2)>>(%at : tensor<1x4xindex>) {in_bounds = array<i1: true>} : memref<64xi1> -> tensor<4x4xi1>
  ttile.store %v, %y through #tview.map<affine_map<(d0, d1, d2) -> (d0 + d2)>>(%at : tensor<1x4xindex>) {in_bounds = array<i1: true>} : tensor<4x4xi1> -> memref<64xi1>
  ttile.return
}

// Lanes that lie apart by a number are stored one by one, each at a place that is known.
// CHECK-LABEL: func.func @apart
// CHECK-NOT:     vector.scatter
// CHECK:         %[[FIRST:.*]] = vector.extract %[[VALUE:.*]][0] : f32 from vector<4xf32>
// CHECK:         memref.store %[[FIRST]]
// CHECK-COUNT-7: memref.store
// CHECK-NOT:     vector.scatter
ttile.func @apart(%x: memref<24xf32>) results(%y: memref<24xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : memref<24xf32> -> tensor<8xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0) -> (d0 * 3)>>() {in_bounds = array<i1: true>} : tensor<8xf32> -> memref<24xf32>
  ttile.return
}
