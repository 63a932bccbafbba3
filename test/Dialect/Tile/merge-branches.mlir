// RUN: tensor-opt %s --tile-merge-branches | FileCheck %s

#x = #tview.map<affine_map<(d0, d1, d2, d3, d4) -> (d2 * 44 + d3 * 4 + d0, d4)>>
#w = #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>
#y = #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 44 + d3 * 4 + d0, d1)>>
// As the side where the program is the third one may have it.
#y2 = #tview.map<affine_map<(d0, d1, d2, d3) -> (d3 * 4 + d0 + 88, d1)>>

// The last program has one block less, and two rows behind the others: all blocks of four rows are
// one loop, with an end that is chosen.
// CHECK-LABEL: ttile.func @last(
// CHECK:         %[[LAST:.*]] = arith.cmpi eq, %i, %c2
// CHECK-DAG:     %[[FEW:.*]] = arith.constant 10 : index
// CHECK-DAG:     %[[MANY:.*]] = arith.constant 11 : index
// CHECK:         %[[END:.*]] = arith.select %[[LAST]], %[[FEW]], %[[MANY]] : index
// CHECK-NEXT:    scf.for %[[J:.*]] = %c0 to %[[END]] step %c1 {
// CHECK-NEXT:      scf.for
// CHECK:             ttile.mma {{.*}} tensor<4x8xf32>
// CHECK:           ttile.store {{.*}} through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 44 + d3 * 4 + d0, d1)>>(%i, %[[J]]) {{.*}} -> memref<130x8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %[[LAST]] {
// CHECK-NEXT:      %{{.*}} = scf.for
// CHECK:             ttile.mma {{.*}} tensor<2x8xf32>
// CHECK-NOT:     else
// CHECK:         ttile.return
ttile.func @last(%x: memref<130x64xf32>, %w: memref<64x8xf32>) results(%y: memref<130x8xf32>) grid(%i = 3) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %c11 = arith.constant 11 : index
  %c64 = arith.constant 64 : index
  %four = arith.constant dense<0.0> : tensor<4x8xf32>
  %two = arith.constant dense<0.0> : tensor<2x8xf32>
  %last = arith.cmpi eq, %i, %c2 : index
  scf.if %last {
    scf.for %j = %c0 to %c10 step %c1 {
      %0 = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %four) -> (tensor<4x8xf32>) {
        %1 = ttile.load %x through #x(%c2, %j, %k) {in_bounds = array<i1: true, true>} : memref<130x64xf32> -> tensor<4x1xf32>
        %2 = ttile.load %w through #w(%k) {in_bounds = array<i1: true, true>} : memref<64x8xf32> -> tensor<1x8xf32>
        %3 = ttile.mma %1, %2, %acc : tensor<4x1xf32>, tensor<1x8xf32>, tensor<4x8xf32>
        scf.yield %3 : tensor<4x8xf32>
      }
      ttile.store %0, %y through #y2(%c2, %j) {in_bounds = array<i1: true, true>} : tensor<4x8xf32> -> memref<130x8xf32>
    }
    %4 = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %two) -> (tensor<2x8xf32>) {
      %5 = ttile.load %x through #x(%c2, %c10, %k) {in_bounds = array<i1: true, true>} : memref<130x64xf32> -> tensor<2x1xf32>
      %6 = ttile.load %w through #w(%k) {in_bounds = array<i1: true, true>} : memref<64x8xf32> -> tensor<1x8xf32>
      %7 = ttile.mma %5, %6, %acc : tensor<2x1xf32>, tensor<1x8xf32>, tensor<2x8xf32>
      scf.yield %7 : tensor<2x8xf32>
    }
    ttile.store %4, %y through #y(%c2, %c10) {in_bounds = array<i1: true, true>} : tensor<2x8xf32> -> memref<130x8xf32>
  } else {
    scf.for %j = %c0 to %c11 step %c1 {
      %0 = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %four) -> (tensor<4x8xf32>) {
        %1 = ttile.load %x through #x(%i, %j, %k) {in_bounds = array<i1: true, true>} : memref<130x64xf32> -> tensor<4x1xf32>
        %2 = ttile.load %w through #w(%k) {in_bounds = array<i1: true, true>} : memref<64x8xf32> -> tensor<1x8xf32>
        %3 = ttile.mma %1, %2, %acc : tensor<4x1xf32>, tensor<1x8xf32>, tensor<4x8xf32>
        scf.yield %3 : tensor<4x8xf32>
      }
      ttile.store %0, %y through #y(%i, %j) {in_bounds = array<i1: true, true>} : tensor<4x8xf32> -> memref<130x8xf32>
    }
  }
  ttile.return
}

// What was proved on the side that would stay is not proved on the other, or other elements are
// read: both stay.
// CHECK-LABEL: ttile.func @apart(
// CHECK:         scf.if
// CHECK:         } else {
// CHECK:         scf.if
// CHECK:         } else {
#a = #tview.map<affine_map<(d0, d1, d2) -> (d2 * 4 + d0, d1)>>
#b = #tview.map<affine_map<(d0, d1, d2) -> (d2 * 4 + d0 + 1, d1)>>
ttile.func @apart(%x: memref<11x8xf32>) results(%y: memref<3x4x8xf32>, %z: memref<3x4x8xf32>) grid(%i = 3) {
  %c2 = arith.constant 2 : index
  %zeros = arith.constant dense<0.0> : tensor<4x8xf32>
  %last = arith.cmpi eq, %i, %c2 : index
  scf.if %last {
    %0 = ttile.load %x through #a(%c2) {in_bounds = array<i1: false, true>} : memref<11x8xf32> -> tensor<4x8xf32>
    %1 = ttile.mma %0, %0, %zeros : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
    ttile.store %1, %y through #tview.map<affine_map<(d0, d1, d2) -> (d2, d0, d1)>>(%c2) : tensor<4x8xf32> -> memref<3x4x8xf32>
  } else {
    %0 = ttile.load %x through #a(%i) {in_bounds = array<i1: true, true>} : memref<11x8xf32> -> tensor<4x8xf32>
    %1 = ttile.mma %0, %0, %zeros : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
    ttile.store %1, %y through #tview.map<affine_map<(d0, d1, d2) -> (d2, d0, d1)>>(%i) : tensor<4x8xf32> -> memref<3x4x8xf32>
  }
  scf.if %last {
    %0 = ttile.load %x through #b(%c2) : memref<11x8xf32> -> tensor<4x8xf32>
    %1 = ttile.mma %0, %0, %zeros : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
    ttile.store %1, %z through #tview.map<affine_map<(d0, d1, d2) -> (d2, d0, d1)>>(%c2) : tensor<4x8xf32> -> memref<3x4x8xf32>
  } else {
    %0 = ttile.load %x through #a(%i) : memref<11x8xf32> -> tensor<4x8xf32>
    %1 = ttile.mma %0, %0, %zeros : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
    ttile.store %1, %z through #tview.map<affine_map<(d0, d1, d2) -> (d2, d0, d1)>>(%i) : tensor<4x8xf32> -> memref<3x4x8xf32>
  }
  ttile.return
}

// Of two programs the first one's number is gone from its coordinates: those of the other hold for both.
// CHECK-LABEL: ttile.func @two(
// CHECK:         arith.select
// CHECK:         scf.for %[[J:.*]] = %c0
// CHECK:           ttile.load {{.*}} through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 8 + d3 * 4 + d0, d1)>>(%i, %[[J]])
// CHECK:         scf.if
// CHECK-NOT:     else
// CHECK:         ttile.return
#first = #tview.map<affine_map<(d0, d1, d2, d3) -> (d3 * 4 + d0, d1)>>
#both = #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 8 + d3 * 4 + d0, d1)>>
ttile.func @two(%x: memref<14x8xf32>) results(%y: memref<14x8xf32>) grid(%i = 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %last = arith.cmpi eq, %i, %c1 : index
  scf.if %last {
    scf.for %j = %c0 to %c1 step %c1 {
      %0 = ttile.load %x through #both(%c1, %j) {in_bounds = array<i1: true, true>} : memref<14x8xf32> -> tensor<4x8xf32>
      %1 = ttile.mma %0, %0, %0 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
      ttile.store %1, %y through #both(%c1, %j) {in_bounds = array<i1: true, true>} : tensor<4x8xf32> -> memref<14x8xf32>
    }
    %2 = ttile.load %x through #both(%c1, %c1) {in_bounds = array<i1: true, true>} : memref<14x8xf32> -> tensor<2x8xf32>
    ttile.store %2, %y through #both(%c1, %c1) {in_bounds = array<i1: true, true>} : tensor<2x8xf32> -> memref<14x8xf32>
  } else {
    scf.for %j = %c0 to %c2 step %c1 {
      %0 = ttile.load %x through #first(%i, %j) {in_bounds = array<i1: true, true>} : memref<14x8xf32> -> tensor<4x8xf32>
      %1 = ttile.mma %0, %0, %0 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
      ttile.store %1, %y through #first(%i, %j) {in_bounds = array<i1: true, true>} : tensor<4x8xf32> -> memref<14x8xf32>
    }
  }
  ttile.return
}
