// RUN: tensor-opt %s --tile-to-vector="lanes=8 masks=false" --canonicalize | FileCheck %s
// RUN: tensor-opt %s --tile-to-vector=lanes=8 --canonicalize | FileCheck %s --check-prefix=MASKS

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
