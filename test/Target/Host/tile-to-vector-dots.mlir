// Groups of narrow elements: dot instructions where they are, else multiply-adds on packed lanes.
// RUN: tensor-opt %s --tile-to-vector="lanes=16 dots=avx512bf16,avx512vnni,pmaddwd" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,DOT
// RUN: tensor-opt %s --tile-to-vector="lanes=16 dots=pmaddwd" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: tensor-opt %s --tile-to-vector="lanes=8 dots=pmaddwd" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: tensor-opt %s --tile-to-vector="lanes=4 dots=bfdot,sdot" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,NEON,SDOT
// RUN: tensor-opt %s --tile-to-vector="lanes=4 dots=bfdot,usdot" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,NEON,USDOT

// A panel of pairs: one load gives 16 pairs of columns, and 32 bits of a row are repeated in all lanes. These have one use, and come
// last, where the instruction reads them from memory itself.
// CHECK-LABEL: func.func @panel
// CHECK-NOT: vector.interleave
// DOT: vector.load %{{.*}} : memref<64xbf16>, vector<2xbf16>
// DOT: %[[COLUMNS:.*]] = vector.load %{{.*}} : memref<128xbf16>, vector<32xbf16>
// DOT: vector.broadcast %{{.*}} : i32 to vector<16xi32>
// DOT-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.*}}, %[[COLUMNS]], %{{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
// WIDE: vector.load %{{.*}} : memref<128xbf16>, vector<32xbf16>
// WIDE: arith.shli %{{.*}} : vector<16xi32>
// WIDE: math.fma %{{.*}} : vector<16xf32>
// WIDE: arith.andi %{{.*}} : vector<16xi32>
// WIDE: math.fma %{{.*}} : vector<16xf32>
// NARROW-COUNT-8: math.fma %{{.*}} : vector<8xf32>
// NEON-COUNT-8: llvm.call_intrinsic "llvm.aarch64.neon.bfdot.v4f32.v8bf16"(%{{.*}}) : (vector<4xf32>, vector<8xbf16>, vector<8xbf16>) -> vector<4xf32>
ttile.func @panel(%a: memref<32x2xbf16>, %b: memref<4x16x2xbf16>) results(%y: memref<2x16xf32>) grid(%i = 1) {
  %zero = arith.constant dense<0.0> : tensor<1x2x16xf32>
  %ta = ttile.load %a through #tview.map<affine_map<(d0, d1, d2) -> (d1, d0)>>() {in_bounds = array<i1: true, true>} : memref<32x2xbf16> -> tensor<2x2x1xbf16>
  %tb = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (3, d2, d0)>>() {in_bounds = array<i1: true, true, true>} : memref<4x16x2xbf16> -> tensor<2x1x16xbf16>
  %sum = ttile.mma %ta, %tb, %zero : tensor<2x2x1xbf16>, tensor<2x1x16xbf16>, tensor<1x2x16xf32>
  ttile.store %sum, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() {in_bounds = array<i1: true, true>} : tensor<1x2x16xf32> -> memref<2x16xf32>
  ttile.return
}

// Rows of memory are interleaved in registers; one row of the other operand comes first.
// CHECK-LABEL: func.func @rows
// DOT-COUNT-2: vector.load %{{.*}} : memref<32xbf16>, vector<16xbf16>
// DOT: %[[COLUMNS:.*]] = vector.interleave %{{.*}}, %{{.*}} : vector<16xbf16> -> vector<32xbf16>
// DOT: dpbf16ps.512"(%{{.*}}, %{{.*}}, %[[COLUMNS]])
// CHECK: return
ttile.func @rows(%a: memref<2xbf16>, %b: memref<2x16xbf16>) results(%y: memref<16xf32>) grid(%i = 1) {
  %zero = arith.constant dense<0.0> : tensor<1x16xf32>
  %ta = ttile.load %a through #tview.map<affine_map<(d0, d1) -> (d0)>>() {in_bounds = array<i1: true>} : memref<2xbf16> -> tensor<2x1xbf16>
  %tb = ttile.load %b through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() {in_bounds = array<i1: true, true>} : memref<2x16xbf16> -> tensor<2x16xbf16>
  %sum = ttile.mma %ta, %tb, %zero : tensor<2x1xbf16>, tensor<2x16xbf16>, tensor<1x16xf32>
  ttile.store %sum, %y through #tview.map<affine_map<(d0, d1) -> (d1)>>() {in_bounds = array<i1: true>} : tensor<1x16xf32> -> memref<16xf32>
  ttile.return
}

// Pairs of 21 columns: of the last vector, no more is read than the five that the tile has.
// CHECK-LABEL: func.func @part_of_vector
// DOT: vector.load %{{.*}} : memref<64xbf16>, vector<32xbf16>
// DOT: %[[FIVE:.*]] = vector.load %{{.*}} : memref<64xbf16>, vector<10xbf16>
// DOT: %[[LAST:.*]] = vector.shuffle %[[FIVE]], %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, {{.*}}, 10] : vector<10xbf16>, vector<10xbf16>
// DOT: dpbf16ps.512"(%{{.*}}, %{{.*}}, %[[LAST]])
// CHECK: return
ttile.func @part_of_vector(%a: memref<2xbf16>, %b: memref<32x2xbf16>) results(%y: memref<21xf32>) grid(%i = 1) {
  %zero = arith.constant dense<0.0> : tensor<1x21xf32>
  %ta = ttile.load %a through #tview.map<affine_map<(d0, d1) -> (d0)>>() {in_bounds = array<i1: true>} : memref<2xbf16> -> tensor<2x1xbf16>
  %tb = ttile.load %b through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>() {in_bounds = array<i1: true, true>} : memref<32x2xbf16> -> tensor<2x21xbf16>
  %sum = ttile.mma %ta, %tb, %zero : tensor<2x1xbf16>, tensor<2x21xbf16>, tensor<1x21xf32>
  ttile.store %sum, %y through #tview.map<affine_map<(d0, d1) -> (d1)>>() {in_bounds = array<i1: true>} : tensor<1x21xf32> -> memref<21xf32>
  ttile.return
}

// Groups that a guard leaves out are not read, the others stay packed.
// CHECK-LABEL: func.func @left_out
// CHECK-NOT: memref.load
// CHECK: vector.load %{{.*}} : memref<6xbf16>, vector<2xbf16>
// CHECK: vector.load %{{.*}} : memref<6xbf16>, vector<2xbf16>
// CHECK-NOT: vector<2xbf16>
// CHECK: vector.load %{{.*}} : memref<32xbf16>
ttile.func @left_out(%a: memref<3x2xbf16>, %b: memref<16x2xbf16>) results(%y: memref<3x16xf32>) grid(%i = 1) {
  %zero = arith.constant dense<0.0> : tensor<1x3x16xf32>
  %ta = ttile.load %a through #tview.map<affine_map<(d0, d1, d2) -> (d1, d0)>, [(d0, d1, d2) : (d1 ge 1) else 0.0 : bf16]>() {in_bounds = array<i1: true, true>} : memref<3x2xbf16> -> tensor<2x3x1xbf16>
  %tb = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (d2, d0)>>() {in_bounds = array<i1: true, true>} : memref<16x2xbf16> -> tensor<2x1x16xbf16>
  %sum = ttile.mma %ta, %tb, %zero : tensor<2x3x1xbf16>, tensor<2x1x16xbf16>, tensor<1x3x16xf32>
  ttile.store %sum, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() {in_bounds = array<i1: true, true>} : tensor<1x3x16xf32> -> memref<3x16xf32>
  ttile.return
}

// Packing: rows are written as one vector.
// CHECK-LABEL: func.func @pack
// DOT: vector.interleave
// DOT: vector.store %{{.*}} : memref<32xbf16>, vector<32xbf16>
// CHECK: return
ttile.func @pack(%b: memref<2x16xbf16>) results(%y: memref<16x2xbf16>) grid(%i = 1) {
  %t = ttile.load %b through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() {in_bounds = array<i1: true, true>} : memref<2x16xbf16> -> tensor<2x16xbf16>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>() {in_bounds = array<i1: true, true>} : tensor<2x16xbf16> -> memref<16x2xbf16>
  ttile.return
}

// Four bytes a lane, unsigned by signed; both signed takes 128 and gives it back. On AArch64 like signs need no help.
// CHECK-LABEL: func.func @bytes
// DOT: vector.load %{{.*}} : memref<64xi8>, vector<64xi8>
// DOT: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}, %{{.*}}, %{{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
// DOT: arith.xori
// DOT: llvm.x86.avx512.vpdpbusd.512
// DOT: arith.subi
// DOT: llvm.x86.avx512.vpdpbusd.512
// DOT: arith.shli
// DOT: llvm.x86.avx512.vpdpbusd.512
// WIDE-COUNT-6: llvm.x86.avx512.pmaddw.d.512
// NARROW-COUNT-12: llvm.x86.avx2.pmadd.wd
// SDOT: arith.xori
// SDOT-NOT: usdot
// SDOT: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%{{.*}}) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
// SDOT: arith.shli
// USDOT-NOT: arith.xori
// USDOT: llvm.aarch64.neon.usdot.v4i32.v16i8
// NEON: llvm.aarch64.neon.sdot.v4i32.v16i8
// NEON: llvm.aarch64.neon.udot.v4i32.v16i8
// CHECK: return
ttile.func @bytes(%a: memref<4xi8>, %b: memref<16x4xi8>) results(%y: memref<16xi32>, %z: memref<16xi32>, %w: memref<16xi32>) grid(%i = 1) {
  %zero = arith.constant dense<0> : tensor<1x16xi32>
  %ta = ttile.load %a through #tview.map<affine_map<(d0, d1) -> (d0)>>() {in_bounds = array<i1: true>} : memref<4xi8> -> tensor<4x1xi8>
  %tb = ttile.load %b through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>() {in_bounds = array<i1: true, true>} : memref<16x4xi8> -> tensor<4x16xi8>
  %0 = ttile.mma %ta, %tb, %zero lhs_unsigned : tensor<4x1xi8>, tensor<4x16xi8>, tensor<1x16xi32>
  %1 = ttile.mma %ta, %tb, %zero : tensor<4x1xi8>, tensor<4x16xi8>, tensor<1x16xi32>
  %2 = ttile.mma %ta, %tb, %zero lhs_unsigned rhs_unsigned : tensor<4x1xi8>, tensor<4x16xi8>, tensor<1x16xi32>
  ttile.store %0, %y through #tview.map<affine_map<(d0, d1) -> (d1)>>() {in_bounds = array<i1: true>} : tensor<1x16xi32> -> memref<16xi32>
  ttile.store %1, %z through #tview.map<affine_map<(d0, d1) -> (d1)>>() {in_bounds = array<i1: true>} : tensor<1x16xi32> -> memref<16xi32>
  ttile.store %2, %w through #tview.map<affine_map<(d0, d1) -> (d1)>>() {in_bounds = array<i1: true>} : tensor<1x16xi32> -> memref<16xi32>
  ttile.return
}

// f16 has no dot instruction: each element of the group is extended and multiplied.
// CHECK-LABEL: func.func @halves
// DOT-COUNT-2: math.fma %{{.*}} : vector<16xf32>
// CHECK: return
ttile.func @halves(%a: memref<2xf16>, %b: memref<16x2xf16>) results(%y: memref<16xf32>) grid(%i = 1) {
  %zero = arith.constant dense<0.0> : tensor<1x16xf32>
  %ta = ttile.load %a through #tview.map<affine_map<(d0, d1) -> (d0)>>() {in_bounds = array<i1: true>} : memref<2xf16> -> tensor<2x1xf16>
  %tb = ttile.load %b through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>() {in_bounds = array<i1: true, true>} : memref<16x2xf16> -> tensor<2x16xf16>
  %sum = ttile.mma %ta, %tb, %zero : tensor<2x1xf16>, tensor<2x16xf16>, tensor<1x16xf32>
  ttile.store %sum, %y through #tview.map<affine_map<(d0, d1) -> (d1)>>() {in_bounds = array<i1: true>} : tensor<1x16xf32> -> memref<16xf32>
  ttile.return
}
