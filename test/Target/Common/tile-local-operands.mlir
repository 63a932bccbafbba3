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

// -----

// In a loop over a ring a product awaits the one before it, whose slot is then filled behind a barrier while it runs. Boxes of the operands
// fill the slots, which lie in a swizzle: rows of 64 bytes. Each thread awaits the filling of the slot that has the number of the iteration.
// CHECK-LABEL: @ring
// CHECK: %[[A:.*]] = ttile.alloc {ttile.swizzle = 64 : i64} : memref<2x1x64x32xbf16, #gpu.address_space<workgroup>>
// CHECK: %[[B:.*]] = ttile.alloc {ttile.swizzle = 64 : i64} : memref<2x1x32x32xbf16, #gpu.address_space<workgroup>>
// CHECK: %[[FULL:.*]] = ttile.alloc {ttile.arrivals} : memref<2xi64, #gpu.address_space<workgroup>>
// CHECK: ttile.store {{.*}} through #tview.map<affine_map<(d0, d1) -> (0, d1 floordiv 32, d0, d1 mod 32)>>()
// CHECK-SAME: ttile.box = #ttile.box<#[[AT:.*]] extents[256, 64] strides[256] box[32, 64]>, ttile.expects = 6144 : i64}
// CHECK: ttile.store {{.*}} ttile.box = #ttile.box<#{{.*}} extents[32, 256] strides[32] box[32, 32]>}
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK-NEXT: ttile.await %[[FULL]][0] filling %[[I]] of %[[A]], %[[B]]
// CHECK-NEXT: %[[L:.*]] = ttile.load {{.*}}ttile.in_place = 0
// CHECK-NEXT: %[[R:.*]] = ttile.load {{.*}}ttile.in_place = 2
// CHECK-NEXT: ttile.mma %[[L]], %[[R]], {{.*}} {ttile.open = "alone", ttile.unit = "wgmma.m64n32k16.bf16"}
// CHECK-NEXT: ttile.barrier
// CHECK-NEXT: affine.apply
// CHECK: ttile.store {{.*}}ttile.box
// CHECK: ttile.await %[[FULL]][1] filling %[[I]] of
// CHECK-NOT: ttile.wait
// OLDER-LABEL: @ring
// OLDER: scf.for
// OLDER-NEXT: ttile.barrier {ttile.wait = 0 : i64}
// OLDER-NEXT: affine.apply
#flat = affine_map<(d0, d1, d2) -> (d0, d2 * 32 + d1)>
#tall = affine_map<(d0, d1, d2) -> (d2 * 32 + d0, d1)>
!a = memref<2x64x32xbf16, strided<[2560, 40, 1]>, #gpu.address_space<workgroup>>
!b = memref<2x32x32xbf16, strided<[1280, 40, 1]>, #gpu.address_space<workgroup>>
ttile.func @ring(%x: memref<64x256xbf16>, %w: memref<256x32xbf16>) results(%y: memref<64x32xf32>) warps(4) {
  %a = ttile.alloc : !a
  %b = ttile.alloc : !b
  %zero = arith.constant dense<0.0> : tensor<1x64x32xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = ttile.load %x through #tview.map<#flat>(%c0) : memref<64x256xbf16> -> tensor<64x32xbf16>
  ttile.store %0, %a through #tview.map<affine_map<(d0, d1) -> (0, d0, d1)>>() {ttile.asynchronous} : tensor<64x32xbf16> -> !a
  %1 = ttile.load %w through #tview.map<#tall>(%c0) : memref<256x32xbf16> -> tensor<32x32xbf16>
  ttile.store %1, %b through #tview.map<affine_map<(d0, d1) -> (0, d0, d1)>>() {ttile.asynchronous, ttile.commit} : tensor<32x32xbf16> -> !b
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> tensor<1x64x32xf32> {
    ttile.barrier {ttile.wait = 0 : i64}
    %k = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i)
    %2 = ttile.load %x through #tview.map<#flat>(%k) : memref<64x256xbf16> -> tensor<64x32xbf16>
    ttile.store %2, %a through #tview.map<affine_map<(d0, d1) -> (1, d0, d1)>>() {ttile.asynchronous} : tensor<64x32xbf16> -> !a
    %3 = ttile.load %w through #tview.map<#tall>(%k) : memref<256x32xbf16> -> tensor<32x32xbf16>
    ttile.store %3, %b through #tview.map<affine_map<(d0, d1) -> (1, d0, d1)>>() {ttile.asynchronous, ttile.commit} : tensor<32x32xbf16> -> !b
    %l = ttile.load %a through #tview.map<affine_map<(d0, d1, d2) -> (0, d1, d0)>>() : !a -> tensor<32x64x1xbf16>
    %r = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (0, d0, d2)>>() : !b -> tensor<32x1x32xbf16>
    %4 = ttile.mma %l, %r, %sum {ttile.unit = "any"} : tensor<32x64x1xbf16>, tensor<32x1x32xbf16>, tensor<1x64x32xf32>
    ttile.barrier {ttile.wait = 0 : i64}
    %n = affine.apply affine_map<(d0) -> (d0 * 2 + 2)>(%i)
    %5 = ttile.load %x through #tview.map<#flat>(%n) {ttile.before = 8 : i64} : memref<64x256xbf16> -> tensor<64x32xbf16>
    ttile.store %5, %a through #tview.map<affine_map<(d0, d1) -> (0, d0, d1)>>() {ttile.asynchronous} : tensor<64x32xbf16> -> !a
    %6 = ttile.load %w through #tview.map<#tall>(%n) {ttile.before = 8 : i64} : memref<256x32xbf16> -> tensor<32x32xbf16>
    ttile.store %6, %b through #tview.map<affine_map<(d0, d1) -> (0, d0, d1)>>() {ttile.asynchronous, ttile.commit} : tensor<32x32xbf16> -> !b
    %7 = ttile.load %a through #tview.map<affine_map<(d0, d1, d2) -> (1, d1, d0)>>() : !a -> tensor<32x64x1xbf16>
    %8 = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (1, d0, d2)>>() : !b -> tensor<32x1x32xbf16>
    %9 = ttile.mma %7, %8, %4 {ttile.unit = "any"} : tensor<32x64x1xbf16>, tensor<32x1x32xbf16>, tensor<1x64x32xf32>
    scf.yield %9 : tensor<1x64x32xf32>
  }
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() : tensor<1x64x32xf32> -> memref<64x32xf32>
  ttile.return
}

// -----

// Where subgroups only load, the others release the slot instead of meeting, and fillings say which of their slot they are.
// CHECK-LABEL: @loading
// CHECK-SAME: ttile.loading = 4
// CHECK: %[[FULL:.*]] = ttile.alloc {ttile.arrivals} : memref<2xi64, #gpu.address_space<workgroup>>
// CHECK: %[[FREE:.*]] = ttile.alloc {ttile.releases} : memref<2xi64, #gpu.address_space<workgroup>>
// CHECK: ttile.store {{.*}}ttile.filling = 0 : i64}
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: ttile.mma {{.*}} {ttile.open = "alone"
// CHECK-NEXT: %[[BEFORE:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK-NEXT: ttile.release %[[FREE]][1] filling %[[BEFORE]] of
// CHECK: ttile.store {{.*}}ttile.filling = 0 : i64}
// CHECK: ttile.mma {{.*}} {ttile.open = "alone"
// CHECK-NEXT: ttile.release %[[FREE]][0] filling %[[I]] of
// CHECK: ttile.store {{.*}}ttile.filling = 1 : i64}
// CHECK-NOT: ttile.barrier
// OLDER-LABEL: @loading
// OLDER-SAME: ttile.no_loading = "no boxes of tensors fill a ring"
// OLDER-NOT: ttile.release
#flat = affine_map<(d0, d1, d2) -> (d0, d2 * 32 + d1)>
#tall = affine_map<(d0, d1, d2) -> (d2 * 32 + d0, d1)>
!a = memref<2x64x32xbf16, strided<[2560, 40, 1]>, #gpu.address_space<workgroup>>
!b = memref<2x32x32xbf16, strided<[1280, 40, 1]>, #gpu.address_space<workgroup>>
ttile.func @loading(%x: memref<64x256xbf16>, %w: memref<256x32xbf16>) results(%y: memref<64x32xf32>) warps(4) attributes {ttile.loading = 4 : i64} {
  %a = ttile.alloc : !a
  %b = ttile.alloc : !b
  %zero = arith.constant dense<0.0> : tensor<1x64x32xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = ttile.load %x through #tview.map<#flat>(%c0) : memref<64x256xbf16> -> tensor<64x32xbf16>
  ttile.store %0, %a through #tview.map<affine_map<(d0, d1) -> (0, d0, d1)>>() {ttile.asynchronous} : tensor<64x32xbf16> -> !a
  %1 = ttile.load %w through #tview.map<#tall>(%c0) : memref<256x32xbf16> -> tensor<32x32xbf16>
  ttile.store %1, %b through #tview.map<affine_map<(d0, d1) -> (0, d0, d1)>>() {ttile.asynchronous, ttile.commit} : tensor<32x32xbf16> -> !b
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> tensor<1x64x32xf32> {
    ttile.barrier {ttile.wait = 0 : i64}
    %k = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i)
    %2 = ttile.load %x through #tview.map<#flat>(%k) : memref<64x256xbf16> -> tensor<64x32xbf16>
    ttile.store %2, %a through #tview.map<affine_map<(d0, d1) -> (1, d0, d1)>>() {ttile.asynchronous} : tensor<64x32xbf16> -> !a
    %3 = ttile.load %w through #tview.map<#tall>(%k) : memref<256x32xbf16> -> tensor<32x32xbf16>
    ttile.store %3, %b through #tview.map<affine_map<(d0, d1) -> (1, d0, d1)>>() {ttile.asynchronous, ttile.commit} : tensor<32x32xbf16> -> !b
    %l = ttile.load %a through #tview.map<affine_map<(d0, d1, d2) -> (0, d1, d0)>>() : !a -> tensor<32x64x1xbf16>
    %r = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (0, d0, d2)>>() : !b -> tensor<32x1x32xbf16>
    %4 = ttile.mma %l, %r, %sum {ttile.unit = "any"} : tensor<32x64x1xbf16>, tensor<32x1x32xbf16>, tensor<1x64x32xf32>
    ttile.barrier {ttile.wait = 0 : i64}
    %n = affine.apply affine_map<(d0) -> (d0 * 2 + 2)>(%i)
    %5 = ttile.load %x through #tview.map<#flat>(%n) {ttile.before = 8 : i64} : memref<64x256xbf16> -> tensor<64x32xbf16>
    ttile.store %5, %a through #tview.map<affine_map<(d0, d1) -> (0, d0, d1)>>() {ttile.asynchronous} : tensor<64x32xbf16> -> !a
    %6 = ttile.load %w through #tview.map<#tall>(%n) {ttile.before = 8 : i64} : memref<256x32xbf16> -> tensor<32x32xbf16>
    ttile.store %6, %b through #tview.map<affine_map<(d0, d1) -> (0, d0, d1)>>() {ttile.asynchronous, ttile.commit} : tensor<32x32xbf16> -> !b
    %7 = ttile.load %a through #tview.map<affine_map<(d0, d1, d2) -> (1, d1, d0)>>() : !a -> tensor<32x64x1xbf16>
    %8 = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (1, d0, d2)>>() : !b -> tensor<32x1x32xbf16>
    %9 = ttile.mma %7, %8, %4 {ttile.unit = "any"} : tensor<32x64x1xbf16>, tensor<32x1x32xbf16>, tensor<1x64x32xf32>
    scf.yield %9 : tensor<1x64x32xf32>
  }
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() : tensor<1x64x32xf32> -> memref<64x32xf32>
  ttile.return
}

// -----

// Rows of the rhs are 72 bytes apart: threads copy it, and boxes the lhs; both are waited for.
// CHECK-LABEL: @by_threads
// CHECK: %[[A:.*]] = ttile.alloc {ttile.swizzle = 64 : i64} : memref<2x1x64x32xbf16
// CHECK: ttile.alloc {ttile.by_threads = "rows of an operand are 72 bytes apart, no multiple of 16"} : memref<2x4x32x8xbf16
// CHECK: ttile.store {{.*}} {{.*}}ttile.box = {{.*}}ttile.expects = 4096
// CHECK: ttile.store {{.*}} {{.*}}ttile.asynchronous, ttile.commit}
// CHECK: ttile.await %{{.*}}[0] filling %{{.*}} of %[[A]] :
// CHECK-NEXT: ttile.barrier {ttile.wait = 0 : i64}
// CHECK: ttile.await %{{.*}}[1] filling %{{.*}} of %[[A]] :
// CHECK-NEXT: ttile.barrier {ttile.wait = 0 : i64}
#flat = affine_map<(d0, d1, d2) -> (d0, d2 * 32 + d1)>
#tall = affine_map<(d0, d1, d2) -> (d2 * 32 + d0, d1)>
!a = memref<2x64x32xbf16, strided<[2560, 40, 1]>, #gpu.address_space<workgroup>>
!b = memref<2x32x32xbf16, strided<[1280, 40, 1]>, #gpu.address_space<workgroup>>
ttile.func @by_threads(%x: memref<64x256xbf16>, %w: memref<256x36xbf16>) results(%y: memref<64x32xf32>) warps(4) {
  %a = ttile.alloc : !a
  %b = ttile.alloc : !b
  %zero = arith.constant dense<0.0> : tensor<1x64x32xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = ttile.load %x through #tview.map<#flat>(%c0) : memref<64x256xbf16> -> tensor<64x32xbf16>
  ttile.store %0, %a through #tview.map<affine_map<(d0, d1) -> (0, d0, d1)>>() {ttile.asynchronous} : tensor<64x32xbf16> -> !a
  %1 = ttile.load %w through #tview.map<#tall>(%c0) : memref<256x36xbf16> -> tensor<32x32xbf16>
  ttile.store %1, %b through #tview.map<affine_map<(d0, d1) -> (0, d0, d1)>>() {ttile.asynchronous, ttile.commit} : tensor<32x32xbf16> -> !b
  ttile.barrier {ttile.wait = 0 : i64}
  %2 = ttile.load %x through #tview.map<#flat>(%c1) : memref<64x256xbf16> -> tensor<64x32xbf16>
  ttile.store %2, %a through #tview.map<affine_map<(d0, d1) -> (1, d0, d1)>>() {ttile.asynchronous} : tensor<64x32xbf16> -> !a
  %3 = ttile.load %w through #tview.map<#tall>(%c1) : memref<256x36xbf16> -> tensor<32x32xbf16>
  ttile.store %3, %b through #tview.map<affine_map<(d0, d1) -> (1, d0, d1)>>() {ttile.asynchronous, ttile.commit} : tensor<32x32xbf16> -> !b
  %l = ttile.load %a through #tview.map<affine_map<(d0, d1, d2) -> (0, d1, d0)>>() : !a -> tensor<32x64x1xbf16>
  %r = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (0, d0, d2)>>() : !b -> tensor<32x1x32xbf16>
  %4 = ttile.mma %l, %r, %zero {ttile.unit = "any"} : tensor<32x64x1xbf16>, tensor<32x1x32xbf16>, tensor<1x64x32xf32>
  ttile.barrier {ttile.wait = 0 : i64}
  %7 = ttile.load %a through #tview.map<affine_map<(d0, d1, d2) -> (1, d1, d0)>>() : !a -> tensor<32x64x1xbf16>
  %8 = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (1, d0, d2)>>() : !b -> tensor<32x1x32xbf16>
  %9 = ttile.mma %7, %8, %4 {ttile.unit = "any"} : tensor<32x64x1xbf16>, tensor<32x1x32xbf16>, tensor<1x64x32xf32>
  ttile.store %9, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() : tensor<1x64x32xf32> -> memref<64x32xf32>
  ttile.return
}

// -----

// What is computed of one product's sums is the left operand of the next one where it is: both are fragments alike, so that nothing is
// converted. The operand that is written once and multiplied in each step is read there by a load of its own before each product.
// CHECK-LABEL: @chain
// CHECK: scf.for
// CHECK: %[[K:.*]] = ttile.load {{.*}}ttile.in_place = 0 : i64}
// CHECK: %[[Q:.*]] = ttile.load {{.*}}ttile.in_place = 0 : i64}
// CHECK-NEXT: ttile.mma %[[Q]], %[[K]], {{.*}} {ttile.unit = "wgmma.m64n32k16.bf16"}
// CHECK: %[[P:.*]] = arith.truncf {{.*}}tensor<1x64x32x1xbf16, [[SCORES:#[a-z0-9]+]]>
// CHECK-NOT: ttile.convert
// CHECK: %[[V:.*]] = ttile.load {{.*}}ttile.in_place = 3 : i64}
// CHECK-NEXT: ttile.mma %[[P]], %[[V]], {{.*}} {ttile.unit = "wgmma.m64n16k16.bf16"} : tensor<1x64x32x1xbf16, [[SCORES]]>
// OLDER-LABEL: @chain
// OLDER: ttile.unit = "mma.m16n8k16.bf16"
// OLDER: ttile.unit = "mma.m16n8k16.bf16"
!q = memref<64x16xbf16, strided<[24, 1]>, #gpu.address_space<workgroup>>
!k = memref<32x16xbf16, strided<[24, 1]>, #gpu.address_space<workgroup>>
ttile.func @chain(%x: memref<64x16xbf16>, %y: memref<128x16xbf16>, %z: memref<128x16xbf16>) results(%o: memref<64x16xf32>) warps(4) {
  %a = ttile.alloc : !q
  %b = ttile.alloc : !k
  %c = ttile.alloc : !k
  %zero = arith.constant dense<0.0> : tensor<1x64x32x1xf32>
  %none = arith.constant dense<0.0> : tensor<1x64x1x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : memref<64x16xbf16> -> tensor<64x16xbf16>
  ttile.store %0, %a through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<64x16xbf16> -> !q
  %q = ttile.load %a through #tview.map<affine_map<(d0, d1, d2, d3) -> (d1, d0)>>() : !q -> tensor<16x64x1x1xbf16>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %none) -> tensor<1x64x1x16xf32> {
    %1 = ttile.load %y through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 32 + d0, d1)>>(%i) : memref<128x16xbf16> -> tensor<32x16xbf16>
    ttile.store %1, %b through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<32x16xbf16> -> !k
    %k = ttile.load %b through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2, d0)>>() : !k -> tensor<16x1x32x1xbf16>
    %s = ttile.mma %q, %k, %zero {ttile.unit = "any"} : tensor<16x64x1x1xbf16>, tensor<16x1x32x1xbf16>, tensor<1x64x32x1xf32>
    %p = arith.truncf %s : tensor<1x64x32x1xf32> to tensor<1x64x32x1xbf16>
    %2 = ttile.load %z through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 32 + d0, d1)>>(%i) : memref<128x16xbf16> -> tensor<32x16xbf16>
    ttile.store %2, %c through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<32x16xbf16> -> !k
    %v = ttile.load %c through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2, d3)>>() : !k -> tensor<1x1x32x16xbf16>
    %n = ttile.mma %p, %v, %sum {ttile.unit = "any"} : tensor<1x64x32x1xbf16>, tensor<1x1x32x16xbf16>, tensor<1x64x1x16xf32>
    scf.yield %n : tensor<1x64x1x16xf32>
  }
  ttile.store %r, %o through #tview.map<affine_map<(d0, d1, d2, d3) -> (d1, d3)>>() : tensor<1x64x1x16xf32> -> memref<64x16xf32>
  ttile.return
}
