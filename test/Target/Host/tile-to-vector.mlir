// RUN: tensor-opt %s --tile-to-vector=lanes=16 --canonicalize --cse | FileCheck %s
// CHECK-DAG: #[[$BY1024:.*]] = affine_map<()[s0, s1] -> (s0 * 1024 + s1 * 64)>

// CHECK-LABEL: func.func @matmul_relu
// CHECK-SAME: %[[A:.*]]: memref<64xf32> {llvm.noalias}, %[[B:.*]]: memref<256xf32> {llvm.noalias}, %[[C:.*]]: memref<256xf32> {llvm.noalias}, %[[I:.*]]: index)
// CHECK-SAME: tw.grid = array<i64: 4>
// CHECK: scf.for %[[K:.*]] = {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-2: memref.load %[[A]]
// CHECK-COUNT-2: vector.load %[[B]]
// CHECK-COUNT-4: math.fma
// CHECK: arith.cmpf oge
// CHECK-COUNT-4: vector.store
ttile.func @matmul_relu(%a: memref<8x8xf32>, %b: memref<8x32xf32>) results(%c: memref<8x32xf32>) grid(%i = 4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<2x32xf32>
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (tensor<2x32xf32>) {
    %ta = ttile.load %a through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 2 + d0, d3)>>(%i, %k) {in_bounds = array<i1: true, true>} : memref<8x8xf32> -> tensor<2x1xf32>
    %tb = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>(%k) {in_bounds = array<i1: true, true>} : memref<8x32xf32> -> tensor<1x32xf32>
    %next = ttile.mma %ta, %tb, %acc : tensor<2x1xf32>, tensor<1x32xf32>, tensor<2x32xf32>
    scf.yield %next : tensor<2x32xf32>
  }
  %relu = arith.maximumf %sum, %zero : tensor<2x32xf32>
  ttile.store %relu, %c through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 2 + d0, d1)>>(%i) {in_bounds = array<i1: true, true>} : tensor<2x32xf32> -> memref<8x32xf32>
  ttile.return
}

// A tile of 20 columns is a whole vector and one with 4 lanes in use; nothing proves the rows inside.
// CHECK-LABEL: func.func @tail
// CHECK: arith.cmpi ult
// CHECK: vector.maskedload
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK: vector.maskedstore
ttile.func @tail(%x: memref<7x20xf32>) results(%y: memref<7x20xf32>) grid(%i = 8) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d2 + d0, d1)>>(%i) : memref<7x20xf32> -> tensor<1x20xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2) -> (d2 + d0, d1)>>(%i) : tensor<1x20xf32> -> memref<7x20xf32>
  ttile.return
}

// Conditions that change seldom are branches, behind which a whole vector needs no mask.
// CHECK-LABEL: func.func @long_runs
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: scf.if %[[INSIDE]] -> (vector<16xf32>) {
// CHECK-NEXT: vector.load
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %cst
// CHECK: scf.if %[[INSIDE]] -> (vector<16xf32>) {
// CHECK-NEXT: vector.maskedload
ttile.func @long_runs(%x: memref<7x20xf32>) results(%y: memref<7x20xf32>) grid(%i = 8) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d2 + d0, d1)>>(%i) {ttile.long_runs} : memref<7x20xf32> -> tensor<1x20xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2) -> (d2 + d0, d1)>>(%i) : tensor<1x20xf32> -> memref<7x20xf32>
  ttile.return
}

// Programs that are outside name the first element: a page that is not there would cost them hundreds of cycles.
// CHECK-LABEL: func.func @strays
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: %[[AT:.*]] = arith.select %[[INSIDE]], %{{.*}}, %c0
// CHECK: vector.maskedload %{{.*}}[%[[AT]]]
// CHECK: vector.maskedstore %{{.*}}[%[[AT]]]
ttile.func @strays(%x: memref<7x4096xf32>) results(%y: memref<7x4096xf32>) grid(%i = 14) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%i) {ttile.strays} : memref<7x4096xf32> -> tensor<16xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%i) {ttile.strays} : tensor<16xf32> -> memref<7x4096xf32>
  ttile.return
}

// Two guards with two fills; 16 lanes two elements apart are two vectors, of which 31 elements are read.
// CHECK-LABEL: func.func @guards
// CHECK: vector.maskedload %{{.*}}[%c-3]
// CHECK: vector.maskedload %{{.*}}[%c12]
// CHECK: vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK: arith.select
// CHECK: arith.select
ttile.func @guards(%x: memref<16xf32>) results(%y: memref<16xf32>) grid(%i = 1) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0 * 2 - 3)>, [(d0, d1) : (d0 ge 1) else 1.0 : f32, (d0, d1) : (d0 le 9) else 2.0 : f32], else 3.0 : f32>(%i) : memref<16xf32> -> tensor<16xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d0)>>(%i) : tensor<16xf32> -> memref<16xf32>
  ttile.return
}

// Division by the extent of a row of vectors leaves a contiguous access.
// CHECK-LABEL: func.func @split
// CHECK-NOT: gather
// CHECK: vector.load
ttile.func @split(%x: memref<4x64xf32>) results(%y: memref<256xf32>) grid(%i = 16) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> ((d1 * 16 + d0) floordiv 64, (d1 * 16 + d0) mod 64)>>(%i) {in_bounds = array<i1: true, true>} : memref<4x64xf32> -> tensor<16xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>>(%i) {in_bounds = array<i1: true>} : tensor<16xf32> -> memref<256xf32>
  ttile.return
}

// Booleans are bytes in memory.
// CHECK-LABEL: func.func @booleans
// CHECK-SAME: memref<16xi8>
// CHECK: %[[L:.*]] = vector.load {{.*}} : memref<16xi8>, vector<16xi8>
// CHECK: arith.cmpi ne, %[[L]]
// CHECK: arith.extui
ttile.func @booleans(%x: memref<16xi1>) results(%y: memref<16xi1>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<16xi1> -> tensor<16xi1>
  ttile.store %t, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<16xi1> -> memref<16xi1>
  ttile.return
}

// Without guards no masks: the last vector ends with the last lane in use, 2 * 19 elements after the first, and a
// vector that is not filled reads no more than that. Reversed lanes are one shuffle, distant ones are gathered.
// CHECK-LABEL: func.func @strided
// CHECK: %[[A:.*]] = vector.load %arg0[%c0]
// CHECK: %[[B:.*]] = vector.load %arg0[%c15]
// CHECK: vector.shuffle %[[A]], %[[B]]
// CHECK: %[[T:.*]] = vector.maskedload %arg0[%c32]
// CHECK: vector.shuffle %[[T]], %[[T]] [0, 2, 4, 6, 0,
// CHECK: %[[R:.*]] = vector.load %arg0[%c24]
// CHECK: vector.shuffle %[[R]], %[[R]] [15, 14, 13,
// CHECK: vector.gather
ttile.func @strided(%x: memref<160xf32>) results(%y: memref<20xf32>, %z: memref<16xf32>, %u: memref<16xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0 * 2)>>() {in_bounds = array<i1: true>} : memref<160xf32> -> tensor<20xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<20xf32> -> memref<20xf32>
  %r = ttile.load %x through #tview.map<affine_map<(d0) -> (39 - d0)>>() {in_bounds = array<i1: true>} : memref<160xf32> -> tensor<16xf32>
  ttile.store %r, %z through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<16xf32> -> memref<16xf32>
  %g = ttile.load %x through #tview.map<affine_map<(d0) -> (d0 * 9)>>() {in_bounds = array<i1: true>} : memref<160xf32> -> tensor<16xf32>
  ttile.store %g, %u through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<16xf32> -> memref<16xf32>
  ttile.return
}

// What is inside as a whole or not is a branch: LLVM folds a masked load into a shuffle, which reads all of its memory.
// CHECK-LABEL: func.func @strided_outside
// CHECK: scf.if
// CHECK-NOT: maskedload
// CHECK: vector.load
// CHECK: vector.shuffle
// CHECK: } else {
// CHECK: return
ttile.func @strided_outside(%x: memref<3x31xf32>) results(%y: memref<4x16xf32>) grid(%i = 4) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 - 1, d0 * 2)>, else 0.0 : f32>(%i) {in_bounds = array<i1: false, true>} : memref<3x31xf32> -> tensor<16xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%i) {in_bounds = array<i1: true, true>} : tensor<16xf32> -> memref<4x16xf32>
  ttile.return
}

// A merged axis whose last vector goes beyond its end: one comparison with the whole extent, no division per lane.
// CHECK-LABEL: func.func @merged
// CHECK-NOT: div
// CHECK: arith.cmpi sge
// CHECK-NOT: div
// CHECK: vector.maskedload
// CHECK-NOT: rem
// CHECK: return
ttile.func @merged(%x: memref<7x11xf32>) results(%y: memref<5x16xf32>) grid(%i = 5) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> ((d1 * 16 + d0) floordiv 11, (d1 * 16 + d0) mod 11)>, else 0.0 : f32>(%i) : memref<7x11xf32> -> tensor<16xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%i) {in_bounds = array<i1: true, true>} : tensor<16xf32> -> memref<5x16xf32>
  ttile.return
}

// The same where the quotient is that of a part alone, since 16 are a row of 11 and 5 points.
// CHECK-LABEL: func.func @merged_apart
// CHECK-NOT: div
// CHECK: arith.cmpi sge
// CHECK-NOT: div
// CHECK: vector.maskedload
// CHECK-NOT: rem
// CHECK: return
ttile.func @merged_apart(%x: memref<7x11xf32>) results(%y: memref<5x16xf32>) grid(%i = 5) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 + (d1 * 5 + d0) floordiv 11, (d1 * 5 + d0) mod 11)>, else 0.0 : f32>(%i) : memref<7x11xf32> -> tensor<16xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%i) {in_bounds = array<i1: true, true>} : tensor<16xf32> -> memref<5x16xf32>
  ttile.return
}

// A product with a row that is known to be zero is left out where it may be, and is made where not.
// CHECK-LABEL: func.func @zeros
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (vector<16xf32>)
// CHECK-COUNT-1: memref.load
// CHECK-COUNT-1: math.fma
// CHECK-NOT: math.fma
// CHECK: scf.yield
// CHECK-COUNT-2: math.fma
// CHECK-NOT: math.fma
// CHECK: return
ttile.func @zeros(%a: memref<8x8xf32>, %b: memref<8x16xf32>) results(%c: memref<2x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<2x16xf32>
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (tensor<2x16xf32>) {
    %ta = ttile.load %a through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2, d0 + d3)>, [(d0, d1, d2, d3) : (d0 + d3 - 1 ge 0) else 0.0 : f32]>(%k, %c0) {in_bounds = array<i1: true, true>} : memref<8x8xf32> -> tensor<2x1xf32>
    %tb = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>(%k) {in_bounds = array<i1: true, true>} : memref<8x16xf32> -> tensor<1x16xf32>
    %next = ttile.mma %ta, %tb, %acc skips_zeros : tensor<2x1xf32>, tensor<1x16xf32>, tensor<2x16xf32>
    scf.yield %next : tensor<2x16xf32>
  }
  %ta = ttile.load %a through #tview.map<affine_map<(d0, d1, d2) -> (d2, d0)>, [(d0, d1, d2) : (d0 + d2 - 1 ge 0) else 0.0 : f32]>(%c0) {in_bounds = array<i1: true, true>} : memref<8x8xf32> -> tensor<2x1xf32>
  %tb = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>(%c1) {in_bounds = array<i1: true, true>} : memref<8x16xf32> -> tensor<1x16xf32>
  %last = ttile.mma %ta, %tb, %sum : tensor<2x1xf32>, tensor<1x16xf32>, tensor<2x16xf32>
  ttile.store %last, %c through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() {in_bounds = array<i1: true, true>} : tensor<2x16xf32> -> memref<2x16xf32>
  ttile.return
}

// Axes that were merged and are taken apart are together again in the address: no division is left.
// CHECK-LABEL: func.func @together
// CHECK-SAME: %[[I:[^ ]*]]: index, %[[J:[^ ]*]]: index)
// CHECK: affine.apply #[[$BY1024]]()[%[[I]], %[[J]]]
// CHECK: vector.store
ttile.func @together(%x: memref<64xf32>) results(%y: memref<4x64x3x3x32xf32>) grid(%i = 72, %j = 16) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : memref<64xf32> -> tensor<64xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1 floordiv 18, d1 * 3 - (d1 floordiv 18) * 64 + (d0 + d1 * 160 + d2 * 64) floordiv 288, (d1 + (d0 + d1 * 64 + d2 * 64) floordiv 96) mod 3, (d1 * 2 + d2 * 2 + d0 floordiv 32) mod 3, d0 mod 32)>>(%i, %j) {in_bounds = array<i1: true, true, true, true, true>} : tensor<64xf32> -> memref<4x64x3x3x32xf32>
  ttile.return
}
