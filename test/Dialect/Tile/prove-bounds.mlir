// RUN: tensor-opt %s --tile-prove-bounds | FileCheck %s

// CHECK-LABEL: ttile.func @rows
ttile.func @rows(%x: memref<64x50xf32>) results(%y: memref<64x50xf32>) grid(%i = 8) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %c3 step %c1 {
    // CHECK: ttile.load {{.*}} {in_bounds = array<i1: true, true>}
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 8 + d0, d3 * 16 + d1)>>(%i, %j) : memref<64x50xf32> -> tensor<8x16xf32>
    // CHECK: ttile.store {{.*}} {in_bounds = array<i1: true, true>}
    ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 8 + d0, d3 * 16 + d1)>>(%i, %j) : tensor<8x16xf32> -> memref<64x50xf32>
  }
  // The edge: 48 + 15 is past 50.
  // CHECK: ttile.load {{.*}} {in_bounds = array<i1: true, false>}
  %e = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 8 + d0, d3 * 16 + d1)>>(%i, %c3) : memref<64x50xf32> -> tensor<8x16xf32>
  // CHECK: ttile.store {{.*}} {in_bounds = array<i1: true, false>}
  ttile.store %e, %y through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 8 + d0, d3 * 16 + d1)>>(%i, %c3) : tensor<8x16xf32> -> memref<64x50xf32>
  ttile.return
}

// A guard that the grid makes true goes; one that it does not stays.
// CHECK-LABEL: ttile.func @guards
// CHECK: ttile.load %{{.*}} through #tview.map<affine_map<(d0, d1) -> (d0 + d1 * 16)>>(%{{.*}}) {in_bounds = array<i1: true>}
// CHECK: ttile.load %{{.*}} through #tview.map<affine_map<(d0, d1) -> (d0 + d1 * 16)>, [(d0, d1) : ({{.*}}) else 1.{{.*}} : f32]>
ttile.func @guards(%x: memref<64xf32>) results(%y: memref<64xf32>) grid(%i = 4) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>, [(d0, d1) : (63 - d1 * 16 - d0 ge 0) else 1.0 : f32]>(%i) : memref<64xf32> -> tensor<16xf32>
  %u = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>, [(d0, d1) : (60 - d1 * 16 - d0 ge 0) else 1.0 : f32]>(%i) : memref<64xf32> -> tensor<16xf32>
  %s = arith.addf %t, %u : tensor<16xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>>(%i) : tensor<16xf32> -> memref<64xf32>
  ttile.return
}

// Nothing is known of an index that was loaded.
// CHECK-LABEL: ttile.func @loaded
// CHECK: ttile.load %{{.*}}(%{{.*}} : tensor<4x1xindex>) {in_bounds = array<i1: false, true>}
ttile.func @loaded(%x: memref<5x7xf32>, %n: memref<4xi64>) results(%y: memref<4x7xf32>) {
  %t = ttile.load %n through #tview.map<affine_map<(d0, d1) -> (d0)>>() : memref<4xi64> -> tensor<4x1xi64>
  %i = arith.index_cast %t : tensor<4x1xi64> to tensor<4x1xindex>
  %v = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>(%i : tensor<4x1xindex>) : memref<5x7xf32> -> tensor<4x7xf32>
  ttile.store %v, %y through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<4x7xf32> -> memref<4x7xf32>
  ttile.return
}

// The last program is apart: the others stay inside.
// CHECK-LABEL: ttile.func @last_apart
// CHECK:         else
// CHECK:           ttile.load {{.*}} {in_bounds = array<i1: true>} : memref<10xf32> -> tensor<4xf32>
ttile.func @last_apart(%x: memref<10xf32>) results(%y: memref<10xf32>) grid(%i = 3) {
  %c2 = arith.constant 2 : index
  %last = arith.cmpi eq, %i, %c2 : index
  scf.if %last {
  } else {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 4 + d0)>>(%i) : memref<10xf32> -> tensor<4xf32>
    ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 4 + d0)>>(%i) : tensor<4xf32> -> memref<10xf32>
  }
  ttile.return
}

// Loops that end at a bound between two others.
// CHECK-LABEL: ttile.func @clamped
// CHECK:         ttile.load {{.*}} {in_bounds = array<i1: true>} : memref<12xf32> -> tensor<4xf32>
// CHECK-NEXT:    ttile.load {{[^{]*}} : memref<12xf32> -> tensor<4xf32>
ttile.func @clamped(%x: memref<12xf32>) results(%y: memref<12xf32>) grid(%i = 5) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = affine.apply affine_map<(d0) -> (d0 floordiv 2 - 1)>(%i)
  %low = arith.maxsi %n, %c0 : index
  %high = arith.minsi %i, %c3 : index
  scf.for %j = %low to %high step %c1 {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 4 + d0)>>(%j) : memref<12xf32> -> tensor<4xf32>
    %u = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 4 + d0)>>(%n) : memref<12xf32> -> tensor<4xf32>
    ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 4 + d0)>>(%j) : tensor<4xf32> -> memref<12xf32>
    ttile.store %u, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 4 + d0)>>(%j) : tensor<4xf32> -> memref<12xf32>
  }
  ttile.return
}

// Axes that were merged: the remainder bounds itself, although less of it is left where the extents
// decide a part of it.
// CHECK-LABEL: ttile.func @merged
// CHECK:         ttile.store {{.*}} {in_bounds = array<i1: true, true, true>}
ttile.func @merged(%x: memref<64xf32>) results(%y: memref<4x64x288xf32>) grid(%i = 72) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<64xf32> -> tensor<64xf32>
  scf.for %j = %c0 to %c16 step %c1 {
    ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2) -> ((d0 + d1 * 1024 + d2 * 64) floordiv 18432, ((d0 + d1 * 1024 + d2 * 64) floordiv 288) mod 64, (d0 + d1 * 1024 + d2 * 64) mod 288)>>(%i, %j) : tensor<64xf32> -> memref<4x64x288xf32>
  }
  ttile.return
}

// Loops that a team shares; the last iteration in a branch of its own.
// CHECK-LABEL: ttile.func @team
// CHECK:         scf.if
// CHECK:           ttile.load {{.*}} {in_bounds = array<i1: true>}
// CHECK:         } else {
// CHECK:           ttile.load {{.*}} {in_bounds = array<i1: true>}
// CHECK:           ttile.store {{.*}} {in_bounds = array<i1: true, true>}
// CHECK:         ttile.load {{.*}}(%{{.*}}) : memref<35xf32> -> tensor<16xf32>
ttile.func @team(%x: memref<35xf32>) results(%y: memref<3x35xf32>) {
  %c32 = arith.constant 32 : index
  scf.forall (%r, %i) = (0, 0) to (3, 33) step (1, 16) {
    %last = arith.cmpi eq, %i, %c32 : index
    scf.if %last {
      %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 + d0)>>(%c32) : memref<35xf32> -> tensor<3xf32>
      ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2 + d0)>>(%r, %c32) : tensor<3xf32> -> memref<3x35xf32>
    } else {
      %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 + d0)>>(%i) : memref<35xf32> -> tensor<16xf32>
      ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2 + d0)>>(%r, %i) : tensor<16xf32> -> memref<3x35xf32>
    }
    %u = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 + d0)>>(%i) : memref<35xf32> -> tensor<16xf32>
    ttile.store %u, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2 + d0)>>(%r, %i) : tensor<16xf32> -> memref<3x35xf32>
  } {mapping = [#ttile.team, #ttile.team]}
  ttile.return
}

// Half of the programs are outside of the first memory, by up to 32 rows of a page; of 65 rows of the second, one is; of
// the third one row of each plane, which is past the end for the last plane alone.
// CHECK-LABEL: ttile.func @strays
// CHECK: ttile.load %arg0 {{.*}} {in_bounds = array<i1: false, true>, ttile.strays}
// CHECK: ttile.load %arg1 {{.*}} {in_bounds = array<i1: false, true>, ttile.strays}
// CHECK: ttile.load %arg2 {{.*}} {in_bounds = array<i1: true, false, true>} :
ttile.func @strays(%x: memref<32x1024xf32>, %y: memref<129x1024xf32>, %w: memref<64x129x1024xf32>) results(%z: memref<64x65x16xf32>) grid(%i = 65, %j = 64) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%i) : memref<32x1024xf32> -> tensor<16xf32>
  %u = ttile.load %y through #tview.map<affine_map<(d0, d1) -> (d1 * 2 + 1, d0)>>(%i) : memref<129x1024xf32> -> tensor<16xf32>
  %v = ttile.load %w through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1 * 2 + 1, d0)>>(%i, %j) : memref<64x129x1024xf32> -> tensor<16xf32>
  %s = arith.addf %t, %u : tensor<16xf32>
  %r = arith.addf %s, %v : tensor<16xf32>
  ttile.store %r, %z through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1, d0)>>(%i, %j) : tensor<16xf32> -> memref<64x65x16xf32>
  ttile.return
}

// The last two of 514 rows are those of the second memory, as in a concatenation: where its guard does not hold, rows are up to
// 512 in front of it, which is outside of the memory for most of the 576 planes of two rows.
// CHECK-LABEL: ttile.func @pieces
// CHECK: ttile.load %arg0 {{.*}}ttile.strays
ttile.func @pieces(%x: memref<576x2x64xf32>) results(%z: memref<576x514x16xf32>) grid(%i = 514, %j = 576) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1 - 512, d0)>, [(d0, d1, d2) : (d1 ge 512) else 0.000000e+00 : f32]>(%i, %j) {in_bounds = array<i1: true, true, true>} : memref<576x2x64xf32> -> tensor<16xf32>
  ttile.store %t, %z through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1, d0)>>(%i, %j) : tensor<16xf32> -> memref<576x514x16xf32>
  ttile.return
}

// The last iteration of 64 reads nothing; of 8 it is one of few.
// CHECK-LABEL: ttile.func @long_runs
// CHECK: ttile.load %arg0 {{.*}} {in_bounds = array<i1: false, true>, ttile.long_runs}
// CHECK: ttile.load %arg0 {{.*}} {in_bounds = array<i1: false, true>} :
ttile.func @long_runs(%x: memref<80x16xf32>) results(%z: memref<64x16xf32>, %y: memref<64x16xf32>) grid(%i = 8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %k = %c0 to %c64 step %c1 {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 + 17, d0)>>(%k) : memref<80x16xf32> -> tensor<16xf32>
    ttile.store %t, %z through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%k) : tensor<16xf32> -> memref<64x16xf32>
  }
  scf.for %k = %c0 to %c8 step %c1 {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d1 * 8 + d2 + 17, d0)>>(%i, %k) : memref<80x16xf32> -> tensor<16xf32>
    ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1 * 8 + d2, d0)>>(%i, %k) : tensor<16xf32> -> memref<64x16xf32>
  }
  ttile.return
}

// A guard that says no more than the memory's extents do is left out, and with it what was proved for where it holds.
// CHECK-LABEL: ttile.func @only_bounds
// CHECK: ttile.load %{{.*}} through #tview.map<affine_map<(d0, d1) -> (d0 - d1)>>(%{{.*}}) {in_bounds = array<i1: false>}
ttile.func @only_bounds(%x: memref<40xf32>) results(%y: memref<32xf32>) symbols(%S = S <= 40) attributes {buffer_sizes = [#tview.sizes<[40]>, #tview.sizes<[32]>]} {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0 - d1)>, [(d0, d1) : (d0 - d1 ge 0) else 0.0 : f32]>(%S) {in_bounds = array<i1: true>} : memref<40xf32> -> tensor<32xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<32xf32> -> memref<32xf32>
  ttile.return
}

// What is left of 16 is one at the least in the last iteration; behind "no more than 8 are left" nine are.
// CHECK-LABEL: ttile.func @switch
// CHECK: ttile.store {{.*}} ttile.sure_lanes = 1 : i64} : tensor<2x8xf32>
// CHECK: } else {
// CHECK: ttile.load {{.*}} ttile.sure_lanes = 9 : i64} : memref<4096xf32> -> tensor<2x16xf32>
// CHECK: ttile.store {{.*}} ttile.sure_lanes = 9 : i64} : tensor<2x16xf32>
ttile.func @switch(%x: memref<4096xf32>) results(%y: memref<4096xf32>) grid(%i = 2) symbols(%N = N <= 512) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %whole = affine.apply affine_map<(d0) -> (d0 floordiv 16)>(%N)
  %first = arith.minsi %whole, %c32 : index
  %all = affine.apply affine_map<(d0) -> (d0 ceildiv 16)>(%N)
  %last = arith.minsi %all, %c32 : index
  scf.for %j = %first to %last step %c1 {
    %rest = affine.apply affine_map<(d0) -> (d0 mod 16)>(%N)
    %few = arith.cmpi sle, %rest, %c8 : index
    scf.if %few {
      %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3) -> (d1 + d2 * 16)>, [(d0, d1, d2, d3) : (d3 - d1 - d2 * 16 ge 1) else 0.0 : f32]>(%j, %N) {in_bounds = array<i1: true>} : memref<4096xf32> -> tensor<2x8xf32>
      ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2, d3) -> (d0 * 512 + d1 + d2 * 16)>, [(d0, d1, d2, d3) : (d3 - d1 - d2 * 16 ge 1) else 0.0 : f32]>(%j, %N) {in_bounds = array<i1: true>} : tensor<2x8xf32> -> memref<4096xf32>
    } else {
      %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3) -> (d1 + d2 * 16)>, [(d0, d1, d2, d3) : (d3 - d1 - d2 * 16 ge 1) else 0.0 : f32]>(%j, %N) {in_bounds = array<i1: true>} : memref<4096xf32> -> tensor<2x16xf32>
      ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2, d3) -> (d0 * 512 + d1 + d2 * 16)>, [(d0, d1, d2, d3) : (d3 - d1 - d2 * 16 ge 1) else 0.0 : f32]>(%j, %N) {in_bounds = array<i1: true>} : tensor<2x16xf32> -> memref<4096xf32>
    }
  }
  ttile.return
}
