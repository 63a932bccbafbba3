// RUN: tensor-opt %s --split-input-file --tile-prove-bounds --tile-assign-layouts="chip=cuda:sm_90a" | FileCheck %s
// RUN: tensor-opt %s --split-input-file --tile-prove-bounds --tile-assign-layouts="chip=cuda:sm_80" | FileCheck %s --check-prefix=OLDER

// A unit that four subgroups have together reads its operands where they lie in local memory: in runs of 16 bytes, those of one row (of
// the lhs, along the depth) in different banks. Who stores them does so there. Sums are of 64 rows and all columns.
// CHECK-LABEL: @product
// CHECK: %[[A:.*]] = ttile.alloc : memref<4x64x8xbf16, strided<[528, 8, 1]>, #gpu.address_space<workgroup>>
// CHECK: %[[B:.*]] = ttile.alloc : memref<4x32x8xbf16, strided<[272, 8, 1]>, #gpu.address_space<workgroup>>
// CHECK: ttile.store %{{.*}}, %[[A]] through #tview.map<affine_map<(d0, d1) -> (d1 floordiv 8, d0, d1 mod 8)>>
// CHECK: ttile.store %{{.*}}, %[[B]] through #tview.map<affine_map<(d0, d1) -> (d1 floordiv 8, d0, d1 mod 8)>>
// CHECK: ttile.load %[[A]] through {{.*}}ttile.in_place = 0 : i64}
// CHECK: ttile.load %[[B]] through {{.*}}ttile.in_place = 2 : i64}
// CHECK: ttile.mma {{.*}} {ttile.unit = "wgmma.m64n32k16.bf16"}
// OLDER-LABEL: @product
// OLDER: memref<64x32xbf16, strided<[40, 1]>
// OLDER: ttile.mma {{.*}} {ttile.unit = "mma.m16n8k16.bf16"}
#map = affine_map<(d0, d1) -> (d0, d1)>
ttile.func @product(%x: memref<64x32xbf16>, %w: memref<32x32xbf16>) results(%y: memref<64x32xf32>) warps(4) {
  %a = ttile.alloc : memref<64x32xbf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
  %b = ttile.alloc : memref<32x32xbf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
  %zero = arith.constant dense<0.0> : tensor<1x64x32xf32>
  %0 = ttile.load %x through #tview.map<#map>() : memref<64x32xbf16> -> tensor<64x32xbf16>
  ttile.store %0, %a through #tview.map<#map>() : tensor<64x32xbf16> -> memref<64x32xbf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
  %1 = ttile.load %w through #tview.map<#map>() : memref<32x32xbf16> -> tensor<32x32xbf16>
  ttile.store %1, %b through #tview.map<#map>() : tensor<32x32xbf16> -> memref<32x32xbf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
  %l = ttile.load %a through #tview.map<affine_map<(d0, d1, d2) -> (d1, d0)>>() : memref<64x32xbf16, strided<[40, 1]>, #gpu.address_space<workgroup>> -> tensor<32x64x1xbf16>
  %r = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (d0, d2)>>() : memref<32x32xbf16, strided<[40, 1]>, #gpu.address_space<workgroup>> -> tensor<32x1x32xbf16>
  %s = ttile.mma %l, %r, %zero {ttile.unit = "any"} : tensor<32x64x1xbf16>, tensor<32x1x32xbf16>, tensor<1x64x32xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() : tensor<1x64x32xf32> -> memref<64x32xf32>
  ttile.return
}

// -----

// An operand that comes from elsewhere: mma.sync, and why.
// CHECK-LABEL: @registers
// CHECK: ttile.mma {{.*}} {ttile.instead = "an operand is not in local memory", ttile.unit = "mma.m16n8k16.f16"}
ttile.func @registers(%x: memref<64x32xf16>, %w: memref<32x32xf16>) results(%y: memref<64x32xf32>) warps(4) {
  %zero = arith.constant dense<0.0> : tensor<1x64x32xf32>
  %l = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d1, d0)>>() : memref<64x32xf16> -> tensor<32x64x1xf16>
  %r = ttile.load %w through #tview.map<affine_map<(d0, d1, d2) -> (d0, d2)>>() : memref<32x32xf16> -> tensor<32x1x32xf16>
  %s = ttile.mma %l, %r, %zero {ttile.unit = "any"} : tensor<32x64x1xf16>, tensor<32x1x32xf16>, tensor<1x64x32xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() : tensor<1x64x32xf32> -> memref<64x32xf32>
  ttile.return
}

// -----

// CHECK-LABEL: @warps
// CHECK: ttile.mma {{.*}} {ttile.instead = "wgmma.m64n8k16.bf16 takes tiles of 64 by 8 by 16 for each 4 subgroups", ttile.unit = "mma.m16n8k16.bf16"}
ttile.func @warps(%x: memref<64x32xbf16>, %w: memref<32x32xbf16>) results(%y: memref<64x32xf32>) warps(2) {
  %zero = arith.constant dense<0.0> : tensor<1x64x32xf32>
  %l = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d1, d0)>>() : memref<64x32xbf16> -> tensor<32x64x1xbf16>
  %r = ttile.load %w through #tview.map<affine_map<(d0, d1, d2) -> (d0, d2)>>() : memref<32x32xbf16> -> tensor<32x1x32xbf16>
  %s = ttile.mma %l, %r, %zero {ttile.unit = "any"} : tensor<32x64x1xbf16>, tensor<32x1x32xbf16>, tensor<1x64x32xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() : tensor<1x64x32xf32> -> memref<64x32xf32>
  ttile.return
}
