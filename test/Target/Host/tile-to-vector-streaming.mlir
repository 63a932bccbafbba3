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

// Where a call settles how long rows are, and how many bytes there are, the function looks at that too.
// CHECK-LABEL: func.func @sizes
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<8192xf32> {llvm.noalias}, %[[I:[a-z0-9]+]]: index, %[[R:[a-z0-9]+]]: index, %[[S:[a-z0-9]+]]: index)
// CHECK: %[[LEFT:.*]] = arith.remui %[[S]], %c16
// CHECK: arith.cmpi eq, %[[LEFT]], %c0
// CHECK: arith.muli %{{.*}}, %[[S]] : index
// CHECK: arith.cmpi uge, %{{.*}}, %c4096
// CHECK: scf.if
// CHECK: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK: } else {
// CHECK-NOT: nontemporal
// CHECK: vector.store
// CHECK-NOT: {{nontemporal|tw.streamed|tw.buffer_sizes}}
ttile.func @sizes(%x: memref<8192xf32>) results(%y: memref<8192xf32>) grid(%i = R ceildiv 1 <= 64) symbols(%R = R <= 64, %S = S <= 128) attributes {buffer_sizes = [#tview.sizes<[R, S]>, #tview.sizes<[R, S]>]} {
  %row = arith.muli %i, %S : index
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 + d0 + 32)>>(%row) {in_bounds = array<i1: true>} : memref<8192xf32> -> tensor<16xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1 + d0 + 32)>>(%row) {in_bounds = array<i1: true>, streaming, ttile.streaming_from = 4096 : i64} : tensor<16xf32> -> memref<8192xf32>
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
