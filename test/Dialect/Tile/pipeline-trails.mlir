// RUN: tensor-opt %s --tile-pipeline=trails=true | FileCheck %s
// RUN: tensor-opt %s --tile-pipeline | FileCheck %s --check-prefix=WITHOUT
// RUN: tensor-opt %s --tile-pipeline=trails=true --tile-prove-bounds --tile-assign-layouts="chip=cuda:sm_90a" | FileCheck %s --check-prefix=OPEN

// The product of a step's weights is made in the next step, behind the scores there, which read the slot that is awaited. The weights'
// slot is the one before, which is filled two steps later; so one slot less is filled ahead. What is computed of the sums comes last.
// CHECK-LABEL: @known
// One slot is filled ahead. The first step has nothing to add yet.
// CHECK: ttile.store %{{.*}}(0, d0, d1){{.*}}ttile.asynchronous
// CHECK: ttile.store %{{.*}}(0, d0, d1){{.*}}ttile.commit
// CHECK: ttile.barrier {ttile.slot = 0 : i64, ttile.wait = 0 : i64}
// CHECK: (1, d0, d1)
// CHECK: (1, d0, d1)
// CHECK: %[[S0:.*]] = ttile.mma %{{.*}}, %{{.*}}, %{{.*}}tensor<1x64x32x1xf32>
// CHECK: %[[P0:.*]] = arith.truncf %[[S0]]
// CHECK-NOT: ttile.mma
// CHECK: %[[A0:.*]] = arith.mulf
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[A0]], %[[P:.*]] = %[[P0]])
// CHECK: ttile.barrier {ttile.slot = 1 : i64, ttile.wait = 0 : i64}
// CHECK: (2, d0, d1)
// CHECK: (2, d0, d1)
// CHECK: ttile.load {{.*}}(1, d2, d0)
// CHECK: ttile.mma
// CHECK: %[[V:.*]] = ttile.load {{.*}}(0, d2, d3)
// CHECK: %[[O:.*]] = ttile.mma %[[P]], %[[V]], %[[A]]
// CHECK: arith.truncf
// CHECK: arith.mulf %[[O]]
// CHECK: ttile.barrier {ttile.slot = 2 : i64, ttile.wait = 0 : i64}
// CHECK: ttile.barrier {ttile.slot = 0 : i64, ttile.wait = 0 : i64}
// CHECK: scf.yield
// Five steps: one before the loop, three in it, one behind, and the product of the last one.
// CHECK: ttile.barrier {ttile.slot = 1 : i64, ttile.wait = 0 : i64}
// CHECK: ttile.mma
// CHECK: ttile.mma %[[R]]#1, %{{.*}}, %[[R]]#0
// CHECK: %[[LAST:.*]] = arith.truncf
// CHECK: %[[SUMS:.*]] = arith.mulf
// CHECK: %[[V:.*]] = ttile.load {{.*}}(1, d2, d3)
// CHECK: ttile.mma %[[LAST]], %[[V]], %[[SUMS]]
// CHECK-NOT: ttile.mma
// CHECK: ttile.return
// WITHOUT-NOT: ttile.slot
// Scores go on until the product is made, which goes on until its sums are read.
// OPEN-LABEL: @known
// OPEN: ttile.mma {{.*}} {ttile.unit = "wgmma.m64n32k16.bf16"}
// OPEN: scf.for
// OPEN-COUNT-3: {ttile.open = "read", ttile.unit = "wgmma.m64n16k16.bf16"}
// OPEN: {ttile.open = "read", ttile.unit
// OPEN: ttile.mma {{.*}} {ttile.unit = "wgmma.m64n16k16.bf16"}
!q = memref<64x16xbf16, strided<[24, 1]>, #gpu.address_space<workgroup>>
!k = memref<32x16xbf16, strided<[24, 1]>, #gpu.address_space<workgroup>>
ttile.func @known(%x: memref<64x16xbf16>, %y: memref<160x16xbf16>, %z: memref<160x16xbf16>) results(%o: memref<64x16xf32>) warps(4) {
  %a = ttile.alloc : !q
  %b = ttile.alloc {ttile.slots = 3 : i64} : !k
  %c = ttile.alloc {ttile.slots = 3 : i64} : !k
  %zero = arith.constant dense<0.0> : tensor<1x64x32x1xf32>
  %none = arith.constant dense<0.0> : tensor<1x64x1x16xf32>
  %half = arith.constant dense<0.5> : tensor<1x64x1x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0 = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : memref<64x16xbf16> -> tensor<64x16xbf16>
  ttile.store %0, %a through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<64x16xbf16> -> !q
  %q = ttile.load %a through #tview.map<affine_map<(d0, d1, d2, d3) -> (d1, d0)>>() : !q -> tensor<16x64x1x1xbf16>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%sum = %none) -> tensor<1x64x1x16xf32> {
    %1 = ttile.load %y through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 32 + d0, d1)>>(%i) : memref<160x16xbf16> -> tensor<32x16xbf16>
    ttile.store %1, %b through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<32x16xbf16> -> !k
    %k = ttile.load %b through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2, d0)>>() : !k -> tensor<16x1x32x1xbf16>
    %s = ttile.mma %q, %k, %zero {ttile.unit = "any"} : tensor<16x64x1x1xbf16>, tensor<16x1x32x1xbf16>, tensor<1x64x32x1xf32>
    %t = arith.mulf %sum, %half : tensor<1x64x1x16xf32>
    %p = arith.truncf %s : tensor<1x64x32x1xf32> to tensor<1x64x32x1xbf16>
    %2 = ttile.load %z through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 32 + d0, d1)>>(%i) : memref<160x16xbf16> -> tensor<32x16xbf16>
    ttile.store %2, %c through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<32x16xbf16> -> !k
    %v = ttile.load %c through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2, d3)>>() : !k -> tensor<1x1x32x16xbf16>
    %n = ttile.mma %p, %v, %t {ttile.unit = "any"} : tensor<1x64x32x1xbf16>, tensor<1x1x32x16xbf16>, tensor<1x64x1x16xf32>
    scf.yield %n : tensor<1x64x1x16xf32>
  }
  ttile.store %r, %o through #tview.map<affine_map<(d0, d1, d2, d3) -> (d1, d3)>>() : tensor<1x64x1x16xf32> -> memref<64x16xf32>
  ttile.return
}

// Where a call or the program's number settles how many steps there are, there may be none.
// CHECK-LABEL: @unknown
// CHECK: %[[ANY:.*]] = arith.cmpi sgt
// CHECK: scf.if %[[ANY]]
// CHECK: ttile.barrier {ttile.slot = 0 : i64, ttile.wait = 0 : i64}
// CHECK: scf.for
// CHECK: scf.if
// CHECK: ttile.barrier {ttile.slot = 1 : i64, ttile.wait = 0 : i64}
// CHECK: scf.if
// CHECK: ttile.barrier {ttile.slot = 2 : i64, ttile.wait = 0 : i64}
// CHECK: ttile.load {{.*}}(2, d2, d3)
// CHECK: } else {
// CHECK: ttile.load {{.*}}(1, d2, d3)
// CHECK: } else {
// CHECK: ttile.load {{.*}}(0, d2, d3)
// CHECK: } else {
// CHECK-NEXT: scf.yield %{{.*}} : tensor<1x64x1x16xf32>
ttile.func @unknown(%x: memref<64x16xbf16>, %y: memref<160x16xbf16>, %z: memref<160x16xbf16>) results(%o: memref<64x16xf32>) grid(%g = 6) warps(4) {
  %a = ttile.alloc : !q
  %b = ttile.alloc {ttile.slots = 3 : i64} : !k
  %c = ttile.alloc {ttile.slots = 3 : i64} : !k
  %zero = arith.constant dense<0.0> : tensor<1x64x32x1xf32>
  %none = arith.constant dense<0.0> : tensor<1x64x1x16xf32>
  %half = arith.constant dense<0.5> : tensor<1x64x1x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : memref<64x16xbf16> -> tensor<64x16xbf16>
  ttile.store %0, %a through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<64x16xbf16> -> !q
  %q = ttile.load %a through #tview.map<affine_map<(d0, d1, d2, d3) -> (d1, d0)>>() : !q -> tensor<16x64x1x1xbf16>
  %r = scf.for %i = %c0 to %g step %c1 iter_args(%sum = %none) -> tensor<1x64x1x16xf32> {
    %1 = ttile.load %y through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 32 + d0, d1)>>(%i) : memref<160x16xbf16> -> tensor<32x16xbf16>
    ttile.store %1, %b through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<32x16xbf16> -> !k
    %k = ttile.load %b through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2, d0)>>() : !k -> tensor<16x1x32x1xbf16>
    %s = ttile.mma %q, %k, %zero {ttile.unit = "any"} : tensor<16x64x1x1xbf16>, tensor<16x1x32x1xbf16>, tensor<1x64x32x1xf32>
    %t = arith.mulf %sum, %half : tensor<1x64x1x16xf32>
    %p = arith.truncf %s : tensor<1x64x32x1xf32> to tensor<1x64x32x1xbf16>
    %2 = ttile.load %z through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 32 + d0, d1)>>(%i) : memref<160x16xbf16> -> tensor<32x16xbf16>
    ttile.store %2, %c through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<32x16xbf16> -> !k
    %v = ttile.load %c through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2, d3)>>() : !k -> tensor<1x1x32x16xbf16>
    %n = ttile.mma %p, %v, %t {ttile.unit = "any"} : tensor<1x64x32x1xbf16>, tensor<1x1x32x16xbf16>, tensor<1x64x1x16xf32>
    scf.yield %n : tensor<1x64x1x16xf32>
  }
  ttile.store %r, %o through #tview.map<affine_map<(d0, d1, d2, d3) -> (d1, d3)>>() : tensor<1x64x1x16xf32> -> memref<64x16xf32>
  ttile.return
}
