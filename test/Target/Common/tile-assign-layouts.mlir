// RUN: tensor-opt %s --split-input-file --tile-prove-bounds --tile-assign-layouts | FileCheck %s
// RUN: tensor-opt %s --split-input-file --tile-prove-bounds --tile-assign-layouts="subgroup=64 vector-bytes=0" | FileCheck %s --check-prefix=WIDE

// Four registers per aligned access of 16 bytes, then lanes, then warps; without vectors lanes stand
// side by side.
// CHECK: #[[L:.*]] = #ttile.layout<1024, atom 1024 {reg [(1), (2)], lane [(4), (8), (16), (32), (64)], warp [(128), (256), (512)]}>
// CHECK: ttile.load {{.*}} -> tensor<1024xf32, #[[L]]>
// CHECK: arith.constant dense<0.000000e+00> : tensor<1024xf32, #[[L]]>
// CHECK: ttile.store {{.*}} : tensor<1024xf32, #[[L]]>
// WIDE: #[[L:.*]] = #ttile.layout<1024, rep [reg 0 x 4], atom 256 {lane [(1), (2), (4), (8), (16), (32)], warp [(64), (128)]}>
ttile.func @relu(%x: memref<4096xf32>) results(%y: memref<4096xf32>) grid(%i = 4) warps(8) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 1024 + d0)>>(%i) : memref<4096xf32> -> tensor<1024xf32>
  %z = arith.constant dense<0.0> : tensor<1024xf32>
  %r = arith.maximumf %t, %z : tensor<1024xf32>
  ttile.store %r, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 1024 + d0)>>(%i) : tensor<1024xf32> -> memref<4096xf32>
  ttile.return
}

// -----

// Rows at an odd distance allow no wide accesses. Warps go along rows that are not reduced; a tile of
// extent 1 has the slice of the base; extents that are no power of two are repeated in registers.
// CHECK-DAG: #[[ROWS:.*]] = #ttile.layout<12x32, rep [reg 0 x 3], atom 4x32 {lane [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16)], warp [(1, 0), (2, 0)]}>
// CHECK-DAG: #[[SUMS:.*]] = #ttile.layout<12x1, rep [reg 0 x 3], atom 4x1 {lane [(0, 0), (0, 0), (0, 0), (0, 0), (0, 0)], warp [(1, 0), (2, 0)]}>
// CHECK: ttile.reduce addf %{{.*}} dims [1] : tensor<12x32xf32, #[[ROWS]]> -> tensor<12x1xf32, #[[SUMS]]>
ttile.func @rows(%x: memref<12x33xf32>) results(%y: memref<12xf32>) warps(4) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : memref<12x33xf32> -> tensor<12x32xf32>
  %s = ttile.reduce addf %t dims [1] : tensor<12x32xf32> -> tensor<12x1xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1) -> (d0)>>() : tensor<12x1xf32> -> memref<12xf32>
  ttile.return
}

// -----

// Products: 4 x 4 registers per thread, 4 x 8 lanes.
// CHECK-DAG: #[[A:.*]] = #ttile.layout<64x1, atom 64x1 {reg [(1, 0), (2, 0)]
// CHECK-DAG: #[[C:.*]] = #ttile.layout<64x64, atom 64x64 {reg [(0, 1), (0, 2), (1, 0), (2, 0)], lane [(0, 4), (0, 8), (0, 16), (4, 0), (8, 0)], warp [{{.*}}]}>
// CHECK: ttile.mma %{{.*}} : tensor<64x1xf32, #[[A]]>, tensor<1x64xf32, #{{.*}}>, tensor<64x64xf32, #[[C]]>
ttile.func @outer(%a: memref<64xf32>, %b: memref<64xf32>) results(%y: memref<64x64xf32>) warps(8) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = ttile.load %a through #tview.map<affine_map<(d0, d1) -> (d0)>>() : memref<64xf32> -> tensor<64x1xf32>
  %1 = ttile.load %b through #tview.map<affine_map<(d0, d1) -> (d1)>>() : memref<64xf32> -> tensor<1x64xf32>
  %2 = ttile.mma %0, %1, %zero : tensor<64x1xf32>, tensor<1x64xf32>, tensor<64x64xf32>
  ttile.store %2, %y through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<64x64xf32> -> memref<64x64xf32>
  ttile.return
}

// -----

// Pixels and taps of a window are both neighbours in memory: of taps only three follow each other, so lanes go along pixels.
// CHECK: #[[PIXELS:.*]] = #ttile.layout<32x16, rep [reg 1 x 16], atom 32x1 {lane [(1, 0), (2, 0), (4, 0), (8, 0), (16, 0)]}>
// CHECK: ttile.load {{.*}} -> tensor<32x16xf32, #[[PIXELS]]>
ttile.func @window(%x: memref<64x64xf32>) results(%y: memref<32xf32>) warps(1) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 floordiv 3, d0 + d1 mod 3)>>() : memref<64x64xf32> -> tensor<32x16xf32>
  %s = ttile.reduce addf %t dims [1] : tensor<32x16xf32> -> tensor<32x1xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1) -> (d0)>>() : tensor<32x1xf32> -> memref<32xf32>
  ttile.return
}

// -----

// The load of a transpose would run across rows: it has a layout of its own.
// CHECK: %[[T:.*]] = ttile.load {{.*}} -> tensor<32x32xf32, #[[COLUMNS:.*]]>
// CHECK: %[[U:.*]] = ttile.convert %[[T]] : tensor<32x32xf32, #[[COLUMNS]]> -> tensor<32x32xf32, #[[ROWS:.*]]>
// CHECK: ttile.store %[[U]], {{.*}} : tensor<32x32xf32, #[[ROWS]]>
ttile.func @transpose(%x: memref<64x64xf32>) results(%y: memref<64x64xf32>) grid(%i = 2, %j = 2) warps(4) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3) -> (d3 * 32 + d1, d2 * 32 + d0)>>(%i, %j) : memref<64x64xf32> -> tensor<32x32xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 32 + d0, d3 * 32 + d1)>>(%i, %j) : tensor<32x32xf32> -> memref<64x64xf32>
  ttile.return
}

// -----

// A tile of extent 1 that joins tiles of unequal extents is converted; constants are cloned.
// CHECK-LABEL: @frames
// CHECK: %[[S:.*]] = ttile.reduce
// CHECK: %[[C:.*]] = ttile.convert %[[S]]
// CHECK: ttile.broadcast %[[C]] : tensor<1xf32, #{{.*}}> -> tensor<64xf32
ttile.func @frames(%x: memref<128xf32>) results(%y: memref<64xf32>, %z: memref<128xf32>) warps(1) {
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<128xf32> -> tensor<128xf32>
  %u = arith.addf %t, %one : tensor<128xf32>
  %s = ttile.reduce addf %u dims [0] : tensor<128xf32> -> tensor<1xf32>
  %b = ttile.broadcast %s : tensor<1xf32> -> tensor<64xf32>
  ttile.store %b, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32>
  ttile.store %one, %z through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<128xf32> -> memref<128xf32>
  ttile.return
}

// -----

// What is scanned: a thread has neighbours alone, lanes and warps come after one another, and other rows go to warps first.
// CHECK: #ttile.layout<8x1024, atom 8x1024 {reg [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 32)], lane [(0, 64), (0, 128), (0, 256), (0, 512), (1, 0)], warp [(2, 0), (4, 0)]}>
// CHECK-LABEL: @scan
ttile.func @scan(%x: memref<8x1024xf32>) results(%y: memref<8x1024xf32>) warps(4) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : memref<8x1024xf32> -> tensor<8x1024xf32>
  %s, %u = ttile.scan addf %t dim 1 : tensor<8x1024xf32> -> tensor<8x1xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<8x1024xf32> -> memref<8x1024xf32>
  ttile.return
}

// -----

// An extent that is no power of two, shared by threads under the base: the scan has a layout with whole columns in a thread, between conversions.
// CHECK-LABEL: @odd
// CHECK: ttile.convert
// CHECK-NEXT: ttile.scan addf
// CHECK-NEXT: ttile.convert
ttile.func @odd(%x: memref<12x32xf32>) results(%y: memref<12x32xf32>) warps(4) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : memref<12x32xf32> -> tensor<12x32xf32>
  %s, %u = ttile.scan addf %t dim 0 : tensor<12x32xf32> -> tensor<1x32xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<12x32xf32> -> memref<12x32xf32>
  ttile.return
}
