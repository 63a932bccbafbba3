// RUN: tensor-opt %s --tile-to-vector=lanes=16 --canonicalize --cse | FileCheck %s

// Buffers promise no alignment: the function looks, and has plain stores for the other case.
// CHECK-LABEL: func.func @stream
// CHECK-SAME: %{{.*}}: memref<4096xf32> {llvm.noalias}, %[[Y:.*]]: memref<4096xf32>
// CHECK: %[[P:.*]] = memref.extract_aligned_pointer_as_index %[[Y]]
// CHECK: %[[L:.*]] = arith.andi %[[P]], %c63
// CHECK: %[[A:.*]] = arith.cmpi eq, %[[L]]
// CHECK: scf.if %[[A]]
// CHECK: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK: } else {
// CHECK-NOT: nontemporal
// CHECK: vector.store
// CHECK-NOT: nontemporal
ttile.func @stream(%x: memref<4096xf32>) results(%y: memref<4096xf32>) grid(%i = 256) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>>(%i) {in_bounds = array<i1: true>} : memref<4096xf32> -> tensor<16xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>>(%i) {in_bounds = array<i1: true>, streaming} : tensor<16xf32> -> memref<4096xf32>
  ttile.return
}

// An address between vectors, and one with a mask, are stored as ever.
// CHECK-LABEL: func.func @between
// CHECK-NOT: nontemporal
// CHECK: vector.store
// CHECK: vector.maskedstore
// CHECK-NOT: nontemporal
ttile.func @between(%x: memref<4100xf32>) results(%y: memref<4100xf32>, %z: memref<4090xf32>) grid(%i = 256) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>>(%i) {in_bounds = array<i1: true>} : memref<4100xf32> -> tensor<16xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0 + 4)>>(%i) {in_bounds = array<i1: true>, streaming} : tensor<16xf32> -> memref<4100xf32>
  ttile.store %t, %z through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>>(%i) {streaming} : tensor<16xf32> -> memref<4090xf32>
  ttile.return
}
