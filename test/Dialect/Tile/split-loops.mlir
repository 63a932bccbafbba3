// RUN: tensor-opt %s --tile-split-loops --tile-prove-bounds | FileCheck %s
// RUN: tensor-opt %s --tile-split-loops="most-ops=3" --tile-prove-bounds | FileCheck %s --check-prefix=LONG
// RUN: tensor-opt %s --tile-split-loops="most-splits=1" --tile-prove-bounds | FileCheck %s --check-prefix=MANY

// Two matrices side by side: only the tile with the border compares. Nothing compares in a longer loop's parts.
// CHECK-LABEL: ttile.func @concat
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %[[BORDER:[a-z0-9_]+]] step
// CHECK-NEXT:      %[[A:.*]] = ttile.load %arg0 {{.*}} {in_bounds = array<i1: true, true>}
// CHECK-NEXT:      ttile.store %[[A]], {{.*}} {in_bounds = array<i1: true, true>}
// CHECK-NEXT:    }
// CHECK:         ttile.load %arg0
// CHECK:         ttile.load %arg1
// CHECK:         arith.select
// CHECK:         ttile.store
// CHECK:         scf.for
// CHECK-NEXT:      %[[B:.*]] = ttile.load %arg1 {{.*}} {in_bounds = array<i1: true, true>}
// CHECK-NEXT:      ttile.store %[[B]], {{.*}} {in_bounds = array<i1: true, true>}
// CHECK-NEXT:    }
// CHECK-NEXT:    ttile.return
// LONG-LABEL: ttile.func @concat
// LONG:         scf.for
// LONG-NOT:     scf.for
// LONG:         ttile.return
ttile.func @concat(%a: memref<8x100xf32>, %b: memref<8x156xf32>) results(%y: memref<8x256xf32>) grid(%i = 8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %border = arith.constant dense<100> : tensor<16xindex>
  scf.for %j = %c0 to %c16 step %c1 {
    %0 = ttile.load %a through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2 * 16 + d0)>>(%i, %j) : memref<8x100xf32> -> tensor<16xf32>
    %1 = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2 * 16 + d0 - 100)>>(%i, %j) : memref<8x156xf32> -> tensor<16xf32>
    %2 = ttile.index affine_map<(d0, d1) -> (d1 * 16 + d0)>(%j) : tensor<16xindex>
    %3 = arith.cmpi slt, %2, %border : tensor<16xindex>
    %4 = arith.select %3, %0, %1 : tensor<16xi1>, tensor<16xf32>
    ttile.store %4, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2 * 16 + d0)>>(%i, %j) : tensor<16xf32> -> memref<8x256xf32>
  }
  ttile.return
}

// Where the border lies depends on the program: loops as long as it says, and a branch between them.
// CHECK-LABEL: ttile.func @dynamic
// CHECK:         %[[FIRST:.*]] = affine.apply
// CHECK:         %[[END:.*]] = affine.apply
// CHECK:         scf.for
// CHECK-NEXT:      %[[T:.*]] = ttile.load {{.*}} {in_bounds = array<i1: true>}
// CHECK-NEXT:      ttile.store %[[T]], {{.*}} {in_bounds = array<i1: true>}
// CHECK-NEXT:    }
// CHECK:         scf.if
// CHECK-NEXT:      ttile.load {{[^{]*}} : memref
// CHECK:         }
// CHECK:         scf.for
// CHECK:           ttile.store %cst{{.*}} {in_bounds = array<i1: true>}
// CHECK-NEXT:    }
ttile.func @dynamic(%x: memref<200xf32>) results(%y: memref<256xf32>) grid(%i = 4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %j = %c0 to %c4 step %c1 {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d1 * 64 + d2 * 16 + d0)>>(%i, %j) : memref<200xf32> -> tensor<16xf32>
    ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1 * 64 + d2 * 16 + d0)>>(%i, %j) : tensor<16xf32> -> memref<256xf32>
  }
  ttile.return
}

// What a loop carries goes through all of its parts.
// CHECK-LABEL: ttile.func @carried
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %cst{{.*}}) -> (tensor<16xf32>)
// CHECK:         %[[LAST:.*]] = arith.addf %[[SUM]],
// CHECK:         ttile.store %[[LAST]]
ttile.func @carried(%x: memref<40xf32>) results(%y: memref<16xf32>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %sum = scf.for %j = %c0 to %c3 step %c1 iter_args(%before = %zero) -> (tensor<16xf32>) {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>>(%j) : memref<40xf32> -> tensor<16xf32>
    %after = arith.addf %before, %t : tensor<16xf32>
    scf.yield %after : tensor<16xf32>
  }
  ttile.store %sum, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<16xf32> -> memref<16xf32>
  ttile.return
}

// A window of which several iterations are partly outside stays whole.
// CHECK-LABEL: ttile.func @narrow
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         ttile.return
ttile.func @narrow(%x: memref<40xf32>) results(%y: memref<33x16xf32>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c33 = arith.constant 33 : index
  scf.for %j = %c0 to %c33 step %c1 {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 + d0)>>(%j) : memref<40xf32> -> tensor<16xf32>
    ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%j) : tensor<16xf32> -> memref<33x16xf32>
  }
  ttile.return
}

// Of axes that were merged, whose quotient leaves the tensor where the product does.
// CHECK-LABEL: ttile.func @quotient
// CHECK:         scf.for
// CHECK-NEXT:      ttile.load {{.*}} {in_bounds = array<i1: true, true>}
// CHECK-NEXT:      ttile.store {{.*}} {in_bounds = array<i1: true>}
// CHECK-NEXT:    }
// CHECK:         ttile.load {{.*}} {in_bounds = array<i1: false, true>}
// CHECK-NEXT:    ttile.store
// CHECK-SAME:      : tensor<16xf32> -> memref<100xf32>
// CHECK-NEXT:    ttile.return
ttile.func @quotient(%x: memref<10x10xf32>) results(%y: memref<100xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.for %j = %c0 to %c7 step %c1 {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> ((d0 + d1 * 16) floordiv 10, (d0 + d1 * 16) mod 10)>>(%j) : memref<10x10xf32> -> tensor<16xf32>
    ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d0 + d1 * 16)>>(%j) : tensor<16xf32> -> memref<100xf32>
  }
  ttile.return
}

// What is left of an axis is one iteration at the most: a branch, of which there may be any number.
// MANY-LABEL: ttile.func @rests
// MANY-COUNT-3: scf.if
// MANY-NOT: scf.for
// MANY: ttile.return
ttile.func @rests(%x: memref<64xf32>) results(%y: memref<64xf32>) symbols(%s = S <= 64) attributes {buffer_sizes = [#tview.sizes<[S]>, unit]} {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %whole = affine.apply affine_map<(d0) -> (d0 floordiv 16)>(%s)
  %first = arith.minsi %whole, %c4 : index
  %all = affine.apply affine_map<(d0) -> (d0 ceildiv 16)>(%s)
  %end = arith.minsi %all, %c4 : index
  scf.for %i = %first to %end step %c1 {
    %v = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d1 * 16 + d0)>, [(d0, d1, d2) : (d2 - 1 - d1 * 16 - d0 ge 0) else 0.0 : f32]>(%i, %s) {in_bounds = array<i1: true>} : memref<64xf32> -> tensor<16xf32>
    ttile.store %v, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>>(%i) : tensor<16xf32> -> memref<64xf32>
  }
  scf.for %i = %first to %end step %c1 {
    %v = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d1 * 16 + d0)>, [(d0, d1, d2) : (d2 - 1 - d1 * 16 - d0 ge 0) else 1.0 : f32]>(%i, %s) {in_bounds = array<i1: true>} : memref<64xf32> -> tensor<16xf32>
    ttile.store %v, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>>(%i) : tensor<16xf32> -> memref<64xf32>
  }
  scf.for %i = %first to %end step %c1 {
    %v = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d1 * 16 + d0)>, [(d0, d1, d2) : (d2 - 1 - d1 * 16 - d0 ge 0) else 2.0 : f32]>(%i, %s) {in_bounds = array<i1: true>} : memref<64xf32> -> tensor<16xf32>
    ttile.store %v, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>>(%i) : tensor<16xf32> -> memref<64xf32>
  }
  ttile.return
}

// The loop ends with the iteration that passes the end of an axis whose size a call settles: none
// comes behind it.
// CHECK-LABEL: ttile.func @settled
// CHECK: scf.for
// CHECK: ttile.load
// CHECK: scf.if
// CHECK: ttile.load
// CHECK-NOT: scf.for
// CHECK-NOT: ttile.load
ttile.func @settled(%x: memref<52xf32>) results(%y: memref<64xf32>) symbols(%s = S <= 52) attributes {buffer_sizes = [#tview.sizes<[S]>, unit]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %whole = affine.apply affine_map<(d0) -> (d0 ceildiv 13)>(%s)
  %end = arith.minsi %whole, %c4 : index
  scf.for %i = %c0 to %end step %c1 {
    %v = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d1 * 13 + d0)>, [(d0, d1, d2) : (d2 - 1 - d1 * 13 - d0 ge 0) else 0.0 : f32]>(%i, %s) {in_bounds = array<i1: true>} : memref<52xf32> -> tensor<13xf32>
    ttile.store %v, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 13 + d0)>>(%i) : tensor<13xf32> -> memref<64xf32>
  }
  ttile.return
}
