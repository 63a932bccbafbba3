// RUN: tensor-opt %s --tile-to-vector="lanes=8 masks=false" --canonicalize | FileCheck %s
// RUN: tensor-opt %s --tile-to-vector=lanes=8 --canonicalize | FileCheck %s --check-prefix=MASKS
// RUN: tensor-opt %s --tile-to-vector="lanes=8 masks=false dear-masks" --canonicalize | FileCheck %s --check-prefix=DEAR

// Where stores under masks are dear a row that is outside as a whole is left out by a branch. Part of a row keeps its mask.
// CHECK-LABEL: func.func @rows
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: scf.if %[[INSIDE]] {
// CHECK-NEXT: vector.store %{{.*}} : memref<140xf32>, vector<8xf32>
// CHECK-NEXT: }
// CHECK: vector.maskedstore
// MASKS-LABEL: func.func @rows
// MASKS-COUNT-2: vector.maskedstore
ttile.func @rows(%x: memref<8x16xf32>) results(%y: memref<7x20xf32>) grid(%i = 8) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>(%i) {in_bounds = array<i1: true, true>} : memref<8x16xf32> -> tensor<1x12xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>(%i) {in_bounds = array<i1: false, true>} : tensor<1x12xf32> -> memref<7x20xf32>
  ttile.return
}

// Where a store under a mask takes as long as many, both rows are stored whole behind a branch, or what there is of them in
// powers of two. Of 16 lanes of which 9 are sure to be there the first vector needs neither.
// DEAR-LABEL: func.func @ends
// DEAR-NOT: maskedstore
// DEAR: vector.store %{{.*}} : memref<1024xf32>, vector<8xf32>
// DEAR-NEXT: vector.store %{{.*}} : memref<1024xf32>, vector<8xf32>
// DEAR: %[[WHOLE:.*]] = arith.cmpi sge, %{{.*}}, %c8
// DEAR-NEXT: scf.if %[[WHOLE]] {
// DEAR-COUNT-2: vector.store %{{.*}}, vector<8xf32>
// DEAR: } else {
// DEAR: arith.andi %{{.*}}, %c4
// DEAR-COUNT-2: vector.store %{{.*}}, vector<4xf32>
// DEAR: arith.andi %{{.*}}, %c2
// DEAR-COUNT-2: vector.store %{{.*}}, vector<2xf32>
// DEAR: arith.andi %{{.*}}, %c1
// DEAR-COUNT-2: memref.store
// MASKS-LABEL: func.func @ends
// MASKS-COUNT-2: vector.maskedstore
ttile.func @ends(%x: memref<1024xf32>) results(%y: memref<1024xf32>) symbols(%N = N <= 16) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0 * 16 + d1)>>() {in_bounds = array<i1: true>} : memref<1024xf32> -> tensor<2x16xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2) -> (d0 * 512 + d1)>, [(d0, d1, d2) : (d2 - d1 ge 1) else 0.0 : f32]>(%N) {in_bounds = array<i1: true>, ttile.sure_lanes = 9 : i64} : tensor<2x16xf32> -> memref<1024xf32>
  ttile.return
}
