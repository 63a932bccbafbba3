// Sizes that a call settles are the last arguments of a kernel.
// RUN: tensor-opt %s --build-threads | FileCheck %s

// Behind the symbols comes what the runtime checks buffers by, which the code does not use. The programs of a row are
// counted by the size; masks hold what its end leaves out.
// CHECK-LABEL: gpu.func @rows(
// CHECK-SAME: memref<1024xf32, #gpu.address_space<global>>, %{{.*}}: memref<1024xf32, #gpu.address_space<global>>, %[[B:.*]]: i64, %[[S:.*]]: i64, %{{.*}}: i64) kernel
// CHECK-SAME: tw.programs = 32 : i64
// CHECK-DAG: %[[INDEX:.*]] = arith.index_cast %[[S]] : i64 to index
// CHECK-DAG: %[[SIZE:.*]] = arith.minui %[[INDEX]], %c{{.*}}
// CHECK-DAG: %[[ID:.*]] = gpu.block_id x
// CHECK: %[[UP:.*]] = arith.addi %[[SIZE]], %c31
// CHECK: %[[ROW:.*]] = arith.divui %[[UP]], %c32
// CHECK: arith.remui %[[ID]], %[[ROW]]
// CHECK: arith.divui %[[ID]], %[[ROW]]
ttile.func @rows(%x: memref<1024xf32>) results(%y: memref<1024xf32>) grid(%b = B <= 16, %i = S ceildiv 32 <= 2) warps(1) symbols(%B = B, %S = S <= 64)
    attributes {buffer_sizes = [#tview.sizes<[B, S]>, #tview.sizes<[2 * S, B]>]} {
  %at = arith.muli %b, %S : index
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3) -> (d0 + d1 * 32 + d2)>, [(d0, d1, d2, d3) : (-d0 - d1 * 32 + d3 - 1 ge 0) else 0.0 : f32]>(%i, %at, %S) {in_bounds = array<i1: true>} : memref<1024xf32> -> tensor<32xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2, d3) -> (d0 + d1 * 32 + d2)>, [(d0, d1, d2, d3) : (-d0 - d1 * 32 + d3 - 1 ge 0) else 0.0 : f32]>(%i, %at, %S) {in_bounds = array<i1: true>} : tensor<32xf32> -> memref<1024xf32>
  ttile.return
}

// More programs than a row of a grid has: those beyond the last one do nothing.
// CHECK-LABEL: gpu.func @many(
// CHECK: %[[P:.*]] = arith.addi
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[P]], %
// CHECK: scf.if %[[IN]]
ttile.func @many(%x: memref<100000xf32>) results(%y: memref<100000xf32>) grid(%i = S <= 100000) warps(1) symbols(%S = S <= 100000)
    attributes {buffer_sizes = [#tview.sizes<[S]>, #tview.sizes<[S]>]} {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1)>>(%i) : memref<100000xf32> -> tensor<1xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1)>>(%i) : tensor<1xf32> -> memref<100000xf32>
  ttile.return
}
