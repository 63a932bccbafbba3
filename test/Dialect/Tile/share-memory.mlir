// RUN: tensor-opt %s --tile-share-memory | FileCheck %s
// RUN: tensor-opt %s --tile-share-memory --tile-insert-barriers | FileCheck %s --check-prefix=BARRIERS
// RUN: tensor-opt %s --tile-share-memory --tile-insert-barriers --interpret="check-races entry=in_turn" -o /dev/null
// RUN: tensor-opt %s --tile-pipeline --tile-share-memory | FileCheck %s --check-prefix=RINGS
// RUN: tensor-opt %s --tile-pipeline --tile-share-memory --tile-insert-barriers | FileCheck %s --check-prefix=WAITS
// RUN: tensor-opt %s --tile-pipeline --tile-share-memory --tile-insert-barriers --interpret="check-races entry=between" -o /dev/null

#local = #gpu.address_space<workgroup>
#across = #ttile.layout<8, atom 8 {lane [(1), (2)], warp [(4)]}>
#id = #tview.map<affine_map<(d0) -> (d0)>>
#reversed = #tview.map<affine_map<(d0) -> (7 - d0)>>

// The second buffer is filled when the first one is read, and so has its memory, behind a barrier; another type has not.
// CHECK-LABEL: @in_turn
// CHECK: %[[A:.*]] = ttile.alloc : memref<8xf32
// CHECK-NEXT: %[[C:.*]] = ttile.alloc : memref<8xi32
// CHECK-NOT: ttile.alloc
// CHECK: ttile.store %{{.*}}, %[[A]]
// CHECK: ttile.load %[[A]]
// CHECK: ttile.store %{{.*}}, %[[A]]
// CHECK: ttile.load %[[A]]
// CHECK: ttile.store %{{.*}}, %[[C]]
// BARRIERS-LABEL: @in_turn
// BARRIERS: ttile.store
// BARRIERS: ttile.barrier
// BARRIERS-NEXT: ttile.load
// BARRIERS: ttile.barrier
// BARRIERS-NEXT: ttile.store
// BARRIERS: ttile.barrier
// BARRIERS-NEXT: ttile.load
ttile.func @in_turn(%x: memref<8xf32>, %z: memref<8xi32>) results(%y: memref<8xf32>) warps(2) {
  %a = ttile.alloc : memref<8xf32, #local>
  %b = ttile.alloc : memref<8xf32, #local>
  %c = ttile.alloc : memref<8xi32, #local>
  %t = ttile.load %x through #id() : memref<8xf32> -> tensor<8xf32, #across>
  ttile.store %t, %a through #id() : tensor<8xf32, #across> -> memref<8xf32, #local>
  %u = ttile.load %a through #reversed() : memref<8xf32, #local> -> tensor<8xf32, #across>
  ttile.store %u, %b through #id() : tensor<8xf32, #across> -> memref<8xf32, #local>
  %v = ttile.load %b through #reversed() : memref<8xf32, #local> -> tensor<8xf32, #across>
  %w = ttile.load %z through #id() : memref<8xi32> -> tensor<8xi32, #across>
  ttile.store %w, %c through #id() : tensor<8xi32, #across> -> memref<8xi32, #local>
  %i = ttile.load %c through #reversed() : memref<8xi32, #local> -> tensor<8xi32, #across>
  %f = arith.sitofp %i : tensor<8xi32, #across> to tensor<8xf32, #across>
  %s = arith.addf %v, %f : tensor<8xf32, #across>
  ttile.store %s, %y through #id() : tensor<8xf32, #across> -> memref<8xf32>
  ttile.return
}

// What the other one is read beside stays.
// CHECK-LABEL: @beside
// CHECK-COUNT-2: ttile.alloc
ttile.func @beside(%x: memref<8xf32>) results(%y: memref<8xf32>) warps(2) {
  %a = ttile.alloc : memref<8xf32, #local>
  %b = ttile.alloc : memref<8xf32, #local>
  %t = ttile.load %x through #id() : memref<8xf32> -> tensor<8xf32, #across>
  ttile.store %t, %a through #id() : tensor<8xf32, #across> -> memref<8xf32, #local>
  ttile.store %t, %b through #id() : tensor<8xf32, #across> -> memref<8xf32, #local>
  %u = ttile.load %a through #reversed() : memref<8xf32, #local> -> tensor<8xf32, #across>
  %v = ttile.load %b through #reversed() : memref<8xf32, #local> -> tensor<8xf32, #across>
  %s = arith.addf %u, %v : tensor<8xf32, #across>
  ttile.store %s, %y through #id() : tensor<8xf32, #across> -> memref<8xf32>
  ttile.return
}

// A ring's last copies are of iterations that there are not: they are awaited before the second one's first.
// RINGS-LABEL: @rings
// RINGS: %[[A:.*]] = ttile.alloc : memref<2x8xf32
// RINGS-NOT: ttile.alloc
// RINGS: scf.for
// RINGS: scf.yield
// RINGS: ttile.load %{{.*}} : memref<32xf32>
// RINGS-NEXT: ttile.barrier {ttile.unread, ttile.wait = 0 : i64}
// RINGS-NEXT: ttile.store %{{.*}}, %[[A]] {{.*}}ttile.asynchronous
// RINGS: scf.for
ttile.func @rings(%x: memref<32xf32>) results(%y: memref<8xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %a = ttile.alloc {ttile.slots = 2 : i64} : memref<8xf32, #local>
  %b = ttile.alloc {ttile.slots = 2 : i64} : memref<8xf32, #local>
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%before = %zero) -> (tensor<8xf32>) {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 8 + d0)>>(%k) : memref<32xf32> -> tensor<8xf32>
    ttile.store %t, %a through #id() : tensor<8xf32> -> memref<8xf32, #local>
    %u = ttile.load %a through #reversed() : memref<8xf32, #local> -> tensor<8xf32>
    %s = arith.addf %before, %u : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  %all = scf.for %k = %c0 to %c4 step %c1 iter_args(%before = %sum) -> (tensor<8xf32>) {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 8 + d0)>>(%k) : memref<32xf32> -> tensor<8xf32>
    ttile.store %t, %b through #id() : tensor<8xf32> -> memref<8xf32, #local>
    %u = ttile.load %b through #reversed() : memref<8xf32, #local> -> tensor<8xf32>
    %s = arith.mulf %before, %u : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  ttile.store %all, %y through #id() : tensor<8xf32> -> memref<8xf32>
  ttile.return
}

// Between the rings a barrier for other memory waits for the last copies of the first: there is none of their own.
// RINGS-LABEL: @between
// RINGS: ttile.barrier {ttile.unread, ttile.wait = 0 : i64}
// RINGS-NEXT: ttile.store %{{.*}}ttile.asynchronous
// WAITS-LABEL: @between
// WAITS: scf.for
// WAITS: scf.yield
// WAITS: ttile.store
// WAITS-NEXT: ttile.barrier {ttile.wait = 0 : i64}
// WAITS-NEXT: ttile.load
// WAITS-NOT: ttile.barrier
// WAITS: ttile.store %{{.*}}ttile.asynchronous
// WAITS: scf.for
ttile.func @between(%x: memref<32xf32>) results(%y: memref<8xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<8xf32, #across>
  %a = ttile.alloc {ttile.slots = 2 : i64} : memref<8xf32, #local>
  %b = ttile.alloc {ttile.slots = 2 : i64} : memref<8xf32, #local>
  %c = ttile.alloc : memref<16xf32, #local>
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%before = %zero) -> (tensor<8xf32, #across>) {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 8 + d0)>>(%k) : memref<32xf32> -> tensor<8xf32, #across>
    ttile.store %t, %a through #id() : tensor<8xf32, #across> -> memref<8xf32, #local>
    %u = ttile.load %a through #reversed() : memref<8xf32, #local> -> tensor<8xf32, #across>
    %s = arith.addf %before, %u : tensor<8xf32, #across>
    scf.yield %s : tensor<8xf32, #across>
  }
  ttile.store %sum, %c through #id() : tensor<8xf32, #across> -> memref<16xf32, #local>
  %turned = ttile.load %c through #reversed() : memref<16xf32, #local> -> tensor<8xf32, #across>
  %all = scf.for %k = %c0 to %c4 step %c1 iter_args(%before = %turned) -> (tensor<8xf32, #across>) {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 8 + d0)>>(%k) : memref<32xf32> -> tensor<8xf32, #across>
    ttile.store %t, %b through #id() : tensor<8xf32, #across> -> memref<8xf32, #local>
    %u = ttile.load %b through #reversed() : memref<8xf32, #local> -> tensor<8xf32, #across>
    %s = arith.mulf %before, %u : tensor<8xf32, #across>
    scf.yield %s : tensor<8xf32, #across>
  }
  ttile.store %all, %y through #id() : tensor<8xf32, #across> -> memref<8xf32>
  ttile.return
}

// And where none is, the last slot is read until the wait of the rings themselves; two that are filled together have one.
// WAITS-LABEL: @together
// WAITS: scf.for
// WAITS: scf.yield
// WAITS-NOT: ttile.barrier
// WAITS: ttile.barrier {ttile.unread, ttile.wait = 0 : i64}
// WAITS-NEXT: ttile.store %{{.*}}ttile.asynchronous
// WAITS-NEXT: ttile.store %{{.*}}ttile.asynchronous
// WAITS: scf.for
ttile.func @together(%x: memref<32xf32>) results(%y: memref<8xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<8xf32, #across>
  %a = ttile.alloc {ttile.slots = 2 : i64} : memref<8xf32, #local>
  %b = ttile.alloc {ttile.slots = 2 : i64} : memref<8xf32, #local>
  %c = ttile.alloc {ttile.slots = 2 : i64} : memref<8xf32, #local>
  %d = ttile.alloc {ttile.slots = 2 : i64} : memref<8xf32, #local>
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%before = %zero) -> (tensor<8xf32, #across>) {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 8 + d0)>>(%k) : memref<32xf32> -> tensor<8xf32, #across>
    %r = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (31 - d1 * 8 - d0)>>(%k) : memref<32xf32> -> tensor<8xf32, #across>
    ttile.store %t, %a through #id() : tensor<8xf32, #across> -> memref<8xf32, #local>
    ttile.store %r, %b through #id() : tensor<8xf32, #across> -> memref<8xf32, #local>
    %u = ttile.load %a through #reversed() : memref<8xf32, #local> -> tensor<8xf32, #across>
    %v = ttile.load %b through #reversed() : memref<8xf32, #local> -> tensor<8xf32, #across>
    %uv = arith.mulf %u, %v : tensor<8xf32, #across>
    %s = arith.addf %before, %uv : tensor<8xf32, #across>
    scf.yield %s : tensor<8xf32, #across>
  }
  %all = scf.for %k = %c0 to %c4 step %c1 iter_args(%before = %sum) -> (tensor<8xf32, #across>) {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 8 + d0)>>(%k) : memref<32xf32> -> tensor<8xf32, #across>
    %r = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (31 - d1 * 8 - d0)>>(%k) : memref<32xf32> -> tensor<8xf32, #across>
    ttile.store %t, %c through #id() : tensor<8xf32, #across> -> memref<8xf32, #local>
    ttile.store %r, %d through #id() : tensor<8xf32, #across> -> memref<8xf32, #local>
    %u = ttile.load %c through #reversed() : memref<8xf32, #local> -> tensor<8xf32, #across>
    %v = ttile.load %d through #reversed() : memref<8xf32, #local> -> tensor<8xf32, #across>
    %uv = arith.mulf %u, %v : tensor<8xf32, #across>
    %s = arith.addf %before, %uv : tensor<8xf32, #across>
    scf.yield %s : tensor<8xf32, #across>
  }
  ttile.store %all, %y through #id() : tensor<8xf32, #across> -> memref<8xf32>
  ttile.return
}
