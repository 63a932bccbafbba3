// Loops that copy a few neighbours, which follow each other in both memories, copy many at a time.
// RUN: tensor-opt %s --host-widen-copies | FileCheck %s

// What is left is copied at once.
// CHECK-LABEL: @groups
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %c32{{.*}} step %c32
// CHECK: ttile.load %arg0 through #tview.map<affine_map<(d0, d1, d2) -> (d2, d0 + d1 * 2)>>(%[[K]], %c3) {{.*}} -> tensor<64xbf16>
// CHECK: ttile.store {{.*}} through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1 + d0 floordiv 2, d0 mod 2)>>(%[[K]], %c3)
// CHECK: ttile.load %arg0 {{.*}} -> tensor<16xbf16>
// CHECK: ttile.store
ttile.func @groups(%x: memref<4x80xbf16>) results(%y: memref<4x40x2xbf16>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c40 = arith.constant 40 : index
  scf.for %k = %c0 to %c40 step %c1 {
    %a = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1 * 2 + d0)>>(%k, %c3) {in_bounds = array<i1: true, true>} : memref<4x80xbf16> -> tensor<2xbf16>
    ttile.store %a, %y through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1, d0)>>(%k, %c3) {in_bounds = array<i1: true, true, true>} : tensor<2xbf16> -> memref<4x40x2xbf16>
  }
  ttile.return
}

// Groups that lie apart in one of them, or may be outside, stay.
// CHECK-LABEL: @apart
// CHECK-COUNT-2: -> tensor<2xbf16>
// CHECK-NOT: tensor<64xbf16>
ttile.func @apart(%x: memref<40x5x2xbf16>, %z: memref<70xbf16>) results(%y: memref<40x2xbf16>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  scf.for %k = %c0 to %c40 step %c1 {
    %a = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1, 3, d0)>>(%k) {in_bounds = array<i1: true, true, true>} : memref<40x5x2xbf16> -> tensor<2xbf16>
    ttile.store %a, %y through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%k) {in_bounds = array<i1: true, true>} : tensor<2xbf16> -> memref<40x2xbf16>
  }
  scf.for %k = %c0 to %c40 step %c1 {
    %a = ttile.load %z through #tview.map<affine_map<(d0, d1) -> (d1 * 2 + d0)>>(%k) : memref<70xbf16> -> tensor<2xbf16>
    ttile.store %a, %y through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%k) {in_bounds = array<i1: true, true>} : tensor<2xbf16> -> memref<40x2xbf16>
  }
  ttile.return
}
