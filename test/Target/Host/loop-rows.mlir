// RUN: tensor-opt %s --host-loop-rows="lanes=16 registers=32" --split-input-file | FileCheck %s

#row = #tview.map<affine_map<(d0, d1, d2) -> (d0, d2)>>
#column = #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>
#bias = #tview.map<affine_map<(d0, d1, d2) -> (d0 + d2 * 14)>>
#along = #tview.map<affine_map<(d0, d1, d2) -> (d0 + d2 * 14, d1)>>

// Behind a product, the function of a tile is a loop over its rows: the sum lies on the stack, a
// bias of each row is read there, and what is stored along rows is stored there.
// CHECK-LABEL: ttile.func @along(
// CHECK:         %[[STACK:.*]] = memref.alloca() {alignment = 64 : i64} : memref<448xf32>
// CHECK:         %[[SUM:.*]] = scf.for
// CHECK:         ttile.store %[[SUM]], %[[STACK]] through #tview.map<affine_map<(d0, d1) -> (d0 * 32 + d1)>>() {in_bounds = array<i1: true>}
// CHECK:         scf.for %[[ROW:.*]] = %c0{{.*}} to %c14{{.*}} step %c1
// CHECK-NEXT:      %[[OWN:.*]] = ttile.load %[[STACK]] through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 32 + d1)>>(%[[ROW]])
// CHECK-SAME:        -> tensor<1x32xf32>
// CHECK-NEXT:      %[[BIAS:.*]] = ttile.load %{{.*}} through #tview.map<affine_map<(d0, d1, d2, d3) -> (d3 + d2 * 14)>>(%{{.*}}, %[[ROW]])
// CHECK-SAME:        -> tensor<1x1xf32>
// CHECK-NEXT:      %[[WIDE:.*]] = ttile.broadcast %[[BIAS]] : tensor<1x1xf32> -> tensor<1x32xf32>
// CHECK-NEXT:      arith.addf %[[OWN]], %[[WIDE]] : tensor<1x32xf32>
// CHECK-NEXT:      math.erf
// CHECK-NEXT:      %[[ONES:.*]] = arith.constant dense<1.000000e+00> : tensor<1x32xf32>
// CHECK-NEXT:      %[[VALUE:.*]] = arith.addf
// CHECK-NEXT:      ttile.store %[[VALUE]], %{{.*}} through #tview.map<affine_map<(d0, d1, d2, d3) -> (d3 + d2 * 14, d1)>>(%{{.*}}, %[[ROW]])
// CHECK-NEXT:    } {llvm.loop_annotation = #loop_annotation}
// CHECK-NEXT:    ttile.return
ttile.func @along(%x: memref<14x64xf32>, %w: memref<64x32xf32>, %b: memref<42xf32>) results(%y: memref<42x32xf32>) grid(%i = 3) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : tensor<14x32xf32>
  %ones = arith.constant dense<1.0> : tensor<14x32xf32>
  %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %zeros) -> (tensor<14x32xf32>) {
    %0 = ttile.load %x through #row(%k) : memref<14x64xf32> -> tensor<14x1xf32>
    %1 = ttile.load %w through #column(%k) : memref<64x32xf32> -> tensor<1x32xf32>
    %2 = ttile.mma %0, %1, %acc : tensor<14x1xf32>, tensor<1x32xf32>, tensor<14x32xf32>
    scf.yield %2 : tensor<14x32xf32>
  }
  %bias = ttile.load %b through #bias(%i) : memref<42xf32> -> tensor<14x1xf32>
  %wide = ttile.broadcast %bias : tensor<14x1xf32> -> tensor<14x32xf32>
  %3 = arith.addf %sum, %wide : tensor<14x32xf32>
  %4 = math.erf %3 : tensor<14x32xf32>
  %5 = arith.addf %4, %ones : tensor<14x32xf32>
  ttile.store %5, %y through #along(%i) : tensor<14x32xf32> -> memref<42x32xf32>
  ttile.return
}

// -----

#along = #tview.map<affine_map<(d0, d1) -> (d0, d1)>>
#across = #tview.map<affine_map<(d0, d1) -> (d1, d0)>>
#one = #tview.map<affine_map<(d0, d1) -> (0)>>

// What is stored across rows, and what is summed, is read from the stack behind the loop; a store
// along rows that came last is in it all the same.
// CHECK-LABEL: ttile.func @across(
// CHECK:         %[[STACK:.*]] = memref.alloca() {alignment = 64 : i64} : memref<448xf32>
// CHECK:         ttile.store %{{.*}}, %[[STACK]]
// CHECK:         scf.for
// CHECK-NEXT:      ttile.load %[[STACK]]
// CHECK-NEXT:      %[[VALUE:.*]] = math.exp
// CHECK-NEXT:      ttile.store %[[VALUE]], %[[ALONG:.*]] through
// CHECK-NEXT:      ttile.store %[[VALUE]], %[[STACK]] through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 32 + d1)>>
// CHECK-NEXT:    } {llvm.loop_annotation
// CHECK-NEXT:    %[[WHOLE:.*]] = ttile.load %[[STACK]] {{.*}} -> tensor<14x32xf32>
// CHECK-NEXT:    %[[TOTAL:.*]] = ttile.reduce addf %[[WHOLE]]
// CHECK-NEXT:    ttile.store %[[TOTAL]]
// CHECK-NEXT:    ttile.store %[[WHOLE]], %{{.*}} through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>
// CHECK-NEXT:    ttile.return
ttile.func @across(%x: memref<14x1xf32>, %w: memref<1x32xf32>) results(%t: memref<1xf32>, %y: memref<32x14xf32>, %z: memref<14x32xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<14x32xf32>
  %0 = ttile.load %x through #along() : memref<14x1xf32> -> tensor<14x1xf32>
  %1 = ttile.load %w through #along() : memref<1x32xf32> -> tensor<1x32xf32>
  %2 = ttile.mma %0, %1, %zeros : tensor<14x1xf32>, tensor<1x32xf32>, tensor<14x32xf32>
  %3 = math.exp %2 : tensor<14x32xf32>
  %4 = ttile.reduce addf %3 dims [0, 1] : tensor<14x32xf32> -> tensor<1x1xf32>
  ttile.store %4, %t through #one() : tensor<1x1xf32> -> memref<1xf32>
  ttile.store %3, %y through #across() : tensor<14x32xf32> -> memref<32x14xf32>
  ttile.store %3, %z through #along() : tensor<14x32xf32> -> memref<14x32xf32>
  ttile.return
}

// -----

#along = #tview.map<affine_map<(d0, d1) -> (d0, d1)>>

// Straight code stays where tiles have few rows, where nothing is a function, where a total of the
// rows comes before what is computed with it (of which the rest is a loop), and where rows of one
// memory would be written and read in turn.
// CHECK-LABEL: ttile.func @straight(
// CHECK-NOT:     scf.for
// CHECK:         ttile.return
ttile.func @straight(%x: memref<3x128xf32>, %u: memref<14x32xf32>) results(%y: memref<3x128xf32>, %v: memref<14x32xf32>) {
  %0 = ttile.load %x through #along() : memref<3x128xf32> -> tensor<3x128xf32>
  %1 = math.exp %0 : tensor<3x128xf32>
  ttile.store %1, %y through #along() : tensor<3x128xf32> -> memref<3x128xf32>
  %2 = ttile.load %u through #along() : memref<14x32xf32> -> tensor<14x32xf32>
  %3 = math.sqrt %2 : tensor<14x32xf32>
  ttile.store %3, %v through #along() : tensor<14x32xf32> -> memref<14x32xf32>
  ttile.return
}

// CHECK-LABEL: ttile.func @total(
// CHECK-NOT:     scf.for
// CHECK:         ttile.return
ttile.func @total(%x: memref<14x32xf32>) results(%y: memref<14x32xf32>) {
  %0 = ttile.load %x through #along() : memref<14x32xf32> -> tensor<14x32xf32>
  %1 = math.exp %0 : tensor<14x32xf32>
  %2 = ttile.reduce addf %1 dims [1] : tensor<14x32xf32> -> tensor<14x1xf32>
  %3 = ttile.broadcast %2 : tensor<14x1xf32> -> tensor<14x32xf32>
  %4 = arith.divf %1, %3 : tensor<14x32xf32>
  ttile.store %4, %y through #along() : tensor<14x32xf32> -> memref<14x32xf32>
  ttile.return
}

#up = #tview.map<affine_map<(d0, d1) -> (d0 + 1, d1)>>

// CHECK-LABEL: ttile.func @shifts(
// CHECK:         %[[READ:.*]] = ttile.load %[[LOCAL:.*]] through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() {{.*}} -> tensor<14x32xf32>
// CHECK:         scf.for
// CHECK-NOT:       %[[LOCAL]]
// CHECK:         } {llvm.loop_annotation
// CHECK-NEXT:    %[[WHOLE:.*]] = ttile.load
// CHECK-NEXT:    ttile.store %[[WHOLE]], %[[LOCAL]]
ttile.func @shifts(%x: memref<1xf32>) results(%y: memref<1xf32>) {
  %s = ttile.alloc : memref<15x32xf32, #gpu.address_space<workgroup>>
  %0 = ttile.load %s through #along() : memref<15x32xf32, #gpu.address_space<workgroup>> -> tensor<14x32xf32>
  %1 = math.exp %0 : tensor<14x32xf32>
  ttile.store %1, %s through #up() : tensor<14x32xf32> -> memref<15x32xf32, #gpu.address_space<workgroup>>
  ttile.return
}
