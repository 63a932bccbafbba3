// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

// CHECK-DAG: #[[$MAP:.*]] = affine_map<(d0, d1, d2) -> (d1 + d2)>
// CHECK-DAG: #[[$SET:.*]] = affine_set<(d0, d1, d2) : (-d1 - d2 + 9 >= 0)>

// CHECK-LABEL: ttile.func @gemm(
// CHECK-SAME: results(%{{.*}}: memref<4x16xf32>) grid(%i = 1)
ttile.func @gemm(%a: memref<4x8xf32>, %b: memref<8x16xf32>) results(%y: memref<4x16xf32>) grid(%i = 1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<4x16xf32>
  %acc = scf.for %k = %c0 to %c8 step %c1 iter_args(%c = %zero) -> (tensor<4x16xf32>) {
    // CHECK: ttile.load %{{.*}} through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 4 + d0, d3)>>(%i, %{{.*}}) : memref<4x8xf32> -> tensor<4x1xf32>
    %0 = ttile.load %a through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 4 + d0, d3)>>(%i, %k) : memref<4x8xf32> -> tensor<4x1xf32>
    %1 = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>(%k) {in_bounds = array<i1: true, true>} : memref<8x16xf32> -> tensor<1x16xf32>
    // CHECK: ttile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x1xf32>, tensor<1x16xf32>, tensor<4x16xf32>
    %2 = ttile.mma %0, %1, %c : tensor<4x1xf32>, tensor<1x16xf32>, tensor<4x16xf32>
    scf.yield %2 : tensor<4x16xf32>
  }
  // CHECK: ttile.store %{{.*}}, %{{.*}} through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 4 + d0, d1)>>(%i) : tensor<4x16xf32> -> memref<4x16xf32>
  ttile.store %acc, %y through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 4 + d0, d1)>>(%i) : tensor<4x16xf32> -> memref<4x16xf32>
  ttile.return
}

// CHECK-LABEL: ttile.func @groups(
ttile.func @groups(%a: memref<4x8xbf16>, %u: memref<4x8xi8>) {
  %0 = ttile.load %a through #tview.map<affine_map<(d0, d1, d2) -> (d1, d0)>>() : memref<4x8xbf16> -> tensor<2x4x1xbf16>
  %1 = ttile.load %a through #tview.map<affine_map<(d0, d1, d2) -> (d0, d2)>>() : memref<4x8xbf16> -> tensor<2x1x8xbf16>
  %f = arith.constant dense<0.0> : tensor<1x4x8xf32>
  // CHECK: ttile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x4x1xbf16>, tensor<2x1x8xbf16>, tensor<1x4x8xf32>
  %2 = ttile.mma %0, %1, %f : tensor<2x4x1xbf16>, tensor<2x1x8xbf16>, tensor<1x4x8xf32>
  %3 = ttile.load %u through #tview.map<affine_map<(d0, d1, d2) -> (d1, d0)>>() : memref<4x8xi8> -> tensor<4x4x1xi8>
  %4 = ttile.load %u through #tview.map<affine_map<(d0, d1, d2) -> (d0, d2)>>() : memref<4x8xi8> -> tensor<4x1x8xi8>
  %i = arith.constant dense<0> : tensor<1x4x8xi32>
  // CHECK: ttile.mma %{{.*}}, %{{.*}}, %{{.*}} lhs_unsigned : tensor<4x4x1xi8>, tensor<4x1x8xi8>, tensor<1x4x8xi32>
  %5 = ttile.mma %3, %4, %i lhs_unsigned : tensor<4x4x1xi8>, tensor<4x1x8xi8>, tensor<1x4x8xi32>
  // CHECK: ttile.mma %{{.*}}, %{{.*}}, %{{.*}} lhs_unsigned rhs_unsigned : tensor<4x4x1xi8>
  %6 = ttile.mma %3, %4, %5 lhs_unsigned rhs_unsigned : tensor<4x4x1xi8>, tensor<4x1x8xi8>, tensor<1x4x8xi32>
  ttile.return
}

// CHECK-LABEL: ttile.func @other(
ttile.func @other(%x: memref<64xf32>, %p: memref<16xi64>) results(%y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %i64 = ttile.load %p through #tview.map<affine_map<(d0, d1) -> (d1)>>() : memref<16xi64> -> tensor<1x16xi64>
  %i = arith.index_cast %i64 : tensor<1x16xi64> to tensor<1x16xindex>
  // CHECK: ttile.load %{{.*}} through #tview.map<affine_map<(d0, d1, d2) -> (d2)>>(%{{.*}} : tensor<1x16xindex>) : memref<64xf32> -> tensor<4x16xf32>
  %g = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d2)>>(%i : tensor<1x16xindex>) : memref<64xf32> -> tensor<4x16xf32>
  // CHECK: ttile.index #[[$MAP]](%{{.*}}) : tensor<1x16xindex>
  %j = ttile.index affine_map<(d0, d1, d2) -> (d1 + d2)>(%c0) : tensor<1x16xindex>
  // CHECK: ttile.inside #[[$SET]](%{{.*}}) : tensor<1x16xi1>
  %m = ttile.inside affine_set<(d0, d1, d2) : (9 - d1 - d2 >= 0)>(%c0) : tensor<1x16xi1>
  // CHECK: ttile.broadcast %{{.*}} : tensor<1x16xi1> -> tensor<4x16xi1>
  %mb = ttile.broadcast %m : tensor<1x16xi1> -> tensor<4x16xi1>
  %z = arith.constant dense<0.0> : tensor<4x16xf32>
  %s = arith.select %mb, %g, %z : tensor<4x16xi1>, tensor<4x16xf32>
  // CHECK: ttile.reduce addf %{{.*}} dims [1] : tensor<4x16xf32> -> tensor<4x1xf32>
  %r = ttile.reduce addf %s dims [1] : tensor<4x16xf32> -> tensor<4x1xf32>
  // CHECK: ttile.scan addf %{{.*}} dim 1 : tensor<4x16xf32> -> tensor<4x1xf32>
  %sc, %st = ttile.scan addf %s dim 1 : tensor<4x16xf32> -> tensor<4x1xf32>
  // CHECK: ttile.scan maximumf %{{.*}} dim 0 exclusive reverse : tensor<4x16xf32> -> tensor<1x16xf32>
  %sd, %su = ttile.scan maximumf %s dim 0 exclusive reverse : tensor<4x16xf32> -> tensor<1x16xf32>
  // CHECK: ttile.scan maximumf %{{.*}} from %{{.*}} dim 0 : tensor<4x16xf32> from tensor<1x16xf32> -> tensor<1x16xf32>
  %se, %sf = ttile.scan maximumf %s from %su dim 0 : tensor<4x16xf32> from tensor<1x16xf32> -> tensor<1x16xf32>
  // CHECK: ttile.reduce %{{.*}}, %{{.*}} dims [1] identities [0xFF800000 : f32, 0] : tensor<4x16xf32>, tensor<1x16xi64> -> tensor<4x1xf32>, tensor<1x1xi64>
  %q:2 = ttile.reduce %s, %i64 dims [1] identities [0xFF800000 : f32, 0 : i64] : tensor<4x16xf32>, tensor<1x16xi64> -> tensor<4x1xf32>, tensor<1x1xi64> {
  ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
    ttile.yield %v0, %a1 : f32, i64
  }
  ttile.store %r, %y through #tview.map<affine_map<(d0, d1) -> (d0)>>() : tensor<4x1xf32> -> memref<4xf32>
  ttile.return
}

#rows = #ttile.layout<12x32, rep [reg 0 x 3], atom 4x32 {reg [(0, 1), (0, 2)], lane [(0, 4), (0, 8), (0, 16)], warp [(1, 0), (2, 0)]}>
#columns = #ttile.layout<12x32, rep [reg 0 x 3, warp x 4], atom 4x32 {reg [(1, 0), (2, 0), (0, 1), (0, 2)], lane [(0, 4), (0, 8), (0, 16)]}>

// CHECK-LABEL: ttile.func @threads(
// CHECK-SAME: grid(%i = 2) warps(4)
ttile.func @threads(%x: memref<24x32xf32>) results(%y: memref<24x32xf32>) grid(%i = 2) warps(4) {
  // CHECK: %[[MEMORY:.*]] = ttile.alloc : memref<12x32xf32, strided<[33, 1]>, #gpu.address_space<workgroup>>
  %s = ttile.alloc : memref<12x32xf32, strided<[33, 1]>, #gpu.address_space<workgroup>>
  // CHECK: ttile.load {{.*}} -> tensor<12x32xf32, #[[$ROWS:.*]]>
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 12 + d0, d1)>>(%i) : memref<24x32xf32> -> tensor<12x32xf32, #rows>
  // CHECK: ttile.store %{{.*}}, %[[MEMORY]]
  ttile.store %t, %s through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<12x32xf32, #rows> -> memref<12x32xf32, strided<[33, 1]>, #gpu.address_space<workgroup>>
  // CHECK: ttile.barrier
  ttile.barrier
  %u = ttile.load %s through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : memref<12x32xf32, strided<[33, 1]>, #gpu.address_space<workgroup>> -> tensor<12x32xf32, #rows>
  // CHECK: ttile.convert %{{.*}} : tensor<12x32xf32, #[[$ROWS]]> -> tensor<12x32xf32, #{{.*}}>
  %v = ttile.convert %u : tensor<12x32xf32, #rows> -> tensor<12x32xf32, #columns>
  ttile.store %v, %y through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 12 + d0, d1)>>(%i) : tensor<12x32xf32, #columns> -> memref<24x32xf32>
  ttile.return
}

// CHECK-LABEL: ttile.func @team(
ttile.func @team(%x: memref<64xf32>) results(%y: memref<8x6xf32>) {
  // CHECK: %[[SHARED:.*]] = ttile.alloc
  %s = ttile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
  // CHECK: scf.forall (%[[I:.*]]) = (0) to (64) step (16) {
  scf.forall (%i) = (0) to (64) step (16) {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 + d0)>>(%i) : memref<64xf32> -> tensor<16xf32>
    ttile.store %t, %s through #tview.map<affine_map<(d0, d1) -> (d1 + d0)>>(%i) : tensor<16xf32> -> memref<64xf32, #gpu.address_space<workgroup>>
  // CHECK: } {mapping = [#ttile.team]}
  } {mapping = [#ttile.team]}
  // CHECK: scf.forall (%{{.*}}, %{{.*}}) in (8, 6) {
  scf.forall (%i, %j) in (8, 6) {
    // CHECK: ttile.alloc
    %own = ttile.alloc : memref<1xf32, #gpu.address_space<workgroup>>
    %t = ttile.load %s through #tview.map<affine_map<(d0, d1, d2) -> (d1 * 8 + d2)>>(%i, %j) : memref<64xf32, #gpu.address_space<workgroup>> -> tensor<1xf32>
    ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>(%i, %j) : tensor<1xf32> -> memref<8x6xf32>
  // CHECK: } {mapping = [#ttile.team, #ttile.team]}
  } {mapping = [#ttile.team, #ttile.team]}
  ttile.return
}

// CHECK-LABEL: ttile.func @sizes(%{{.*}}: memref<64xf32>) grid(%i = S ceildiv 8 <= 8, %j = 4) symbols(%S = S <= 64, %batch_size = "batch size")
// CHECK-SAME: attributes {buffer_sizes = [#tview.sizes<[S]>]}
ttile.func @sizes(%x: memref<64xf32>) grid(%i = S ceildiv 8 <= 8, %j = 4) symbols(%S = S <= 64, %b = "batch size")
    attributes {buffer_sizes = [#tview.sizes<[S]>]} {
  ttile.return
}
