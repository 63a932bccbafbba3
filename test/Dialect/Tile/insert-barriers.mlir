// RUN: tensor-opt %s --tile-insert-barriers | FileCheck %s
// RUN: tensor-opt %s --tile-insert-barriers --interpret="check-races entry=ring" -o /dev/null

#local = #gpu.address_space<workgroup>
#across = #ttile.layout<8, atom 8 {lane [(1), (2)], warp [(4)]}>
#one = #ttile.layout<8, atom 8 {reg [(1), (2), (4)]}>
#back = #ttile.layout<8, atom 8 {lane [(4), (2)], warp [(1)]}>

// Every thread reads what it wrote itself.
// CHECK-LABEL: @own
// CHECK-NOT: ttile.barrier
ttile.func @own(%x: memref<8xf32>) warps(2) {
  %s = ttile.alloc : memref<8xf32, #local>
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<8xf32> -> tensor<8xf32, #across>
  ttile.store %t, %s through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<8xf32, #across> -> memref<8xf32, #local>
  %u = ttile.load %s through #tview.map<affine_map<(d0) -> (d0)>>() : memref<8xf32, #local> -> tensor<8xf32, #across>
  ttile.return
}

// One thread waits for nobody, whatever it reads and however long its loops are.
// CHECK-LABEL: @alone
// CHECK-NOT: ttile.barrier
ttile.func @alone(%x: memref<64xf32>) grid(%g = 4) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %s = ttile.alloc : memref<64xf32, #local>
  %end = arith.minsi %g, %c8 : index
  scf.for %i = %c0 to %end step %c1 {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0 + d1 * 8)>>(%i) : memref<64xf32> -> tensor<8xf32, #one>
    ttile.store %t, %s through #tview.map<affine_map<(d0, d1) -> (d0 + d1 * 8)>>(%i) : tensor<8xf32, #one> -> memref<64xf32, #local>
    scf.for %j = %i to %c8 step %c1 {
      %u = ttile.load %s through #tview.map<affine_map<(d0, d1) -> (d0 + d1 * 8)>>(%j) : memref<64xf32, #local> -> tensor<8xf32, #one>
      ttile.store %u, %s through #tview.map<affine_map<(d0, d1) -> (63 - d0 - d1 * 8)>>(%j) : tensor<8xf32, #one> -> memref<64xf32, #local>
    }
  }
  ttile.return
}

// Read after write, then write after read around the loop: two barriers.
// CHECK-LABEL: @exchange
// CHECK: scf.for
// CHECK: ttile.barrier
// CHECK-NEXT: ttile.store
// CHECK-NEXT: ttile.barrier
// CHECK-NEXT: ttile.load
// CHECK-NOT: ttile.barrier
ttile.func @exchange(%x: memref<8xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = ttile.alloc : memref<8xf32, #local>
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<8xf32> -> tensor<8xf32, #across>
  scf.for %i = %c0 to %c4 step %c1 {
    ttile.store %t, %s through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<8xf32, #across> -> memref<8xf32, #local>
    %u = ttile.load %s through #tview.map<affine_map<(d0) -> (7 - d0)>>() : memref<8xf32, #local> -> tensor<8xf32, #across>
  }
  ttile.return
}

// Two slots in turn: the write of the next iteration meets no read of this one.
// CHECK-LABEL: @ring
// CHECK: scf.for
// CHECK-NEXT: ttile.store
// CHECK-NEXT: ttile.barrier
// CHECK-NEXT: ttile.load
// CHECK-NOT: ttile.barrier
// CHECK: ttile.return
ttile.func @ring(%x: memref<8xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = ttile.alloc : memref<2x8xf32, #local>
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<8xf32> -> tensor<8xf32, #across>
  scf.for %i = %c0 to %c4 step %c1 {
    ttile.store %t, %s through #tview.map<affine_map<(d0, d1) -> (d1 mod 2, d0)>>(%i) : tensor<8xf32, #across> -> memref<2x8xf32, #local>
    %u = ttile.load %s through #tview.map<affine_map<(d0, d1) -> (d1 mod 2, 7 - d0)>>(%i) : memref<2x8xf32, #local> -> tensor<8xf32, #across>
  }
  ttile.return
}

// Global memory that the program writes and reads back in another layout.
// CHECK-LABEL: @global
// CHECK: ttile.store
// CHECK-NEXT: ttile.barrier
// CHECK-NEXT: ttile.load
ttile.func @global() results(%y: memref<8xf32>) warps(2) {
  %t = arith.constant dense<1.0> : tensor<8xf32, #across>
  ttile.store %t, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<8xf32, #across> -> memref<8xf32>
  %u = ttile.load %y through #tview.map<affine_map<(d0) -> (d0)>>() : memref<8xf32> -> tensor<8xf32, #back>
  ttile.return
}

// One branch writes: the read after both is ordered once.
// CHECK-LABEL: @branch
// CHECK: scf.if
// CHECK: ttile.store
// CHECK: }
// CHECK-NEXT: ttile.barrier
// CHECK-NEXT: ttile.load
ttile.func @branch(%x: memref<8xf32>) grid(%g = 2) warps(2) {
  %c0 = arith.constant 0 : index
  %s = ttile.alloc : memref<8xf32, #local>
  %t = arith.constant dense<1.0> : tensor<8xf32, #across>
  %first = arith.cmpi eq, %g, %c0 : index
  scf.if %first {
    ttile.store %t, %s through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<8xf32, #across> -> memref<8xf32, #local>
  }
  %u = ttile.load %s through #tview.map<affine_map<(d0) -> (7 - d0)>>() : memref<8xf32, #local> -> tensor<8xf32, #across>
  ttile.return
}

// A unit reads where its product stands: the barrier for the second operand stands before the product, behind which the first one's memory
// is still read, so that it is filled again behind one more. That one makes nothing visible to the unit that it will read.
// CHECK-LABEL: @in_place
// CHECK: ttile.load %{{.*}}ttile.in_place = 0
// CHECK-NEXT: ttile.load %{{.*}}ttile.in_place = 1
// CHECK-NEXT: ttile.barrier{{$}}
// CHECK-NEXT: ttile.mma
// CHECK-NEXT: ttile.load
// CHECK-NEXT: ttile.barrier {ttile.spent}
// CHECK-NEXT: ttile.store
// CHECK-NEXT: ttile.return
#rows = #ttile.layout<16x64, atom 16x64 {reg [(1, 0), (2, 0), (4, 0), (8, 0)], lane [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16)], warp [(0, 32)]}>
#sums = #ttile.layout<1x64x64, atom 1x64x64 {reg [(0, 0, 1), (0, 0, 2), (0, 0, 4), (0, 0, 8), (0, 0, 16), (0, 0, 32)], lane [(0, 1, 0), (0, 2, 0), (0, 4, 0), (0, 8, 0), (0, 16, 0)], warp [(0, 32, 0)]}>
#left = #ttile.layout<16x64x1, atom 16x64x1 {reg [(1, 0, 0), (2, 0, 0), (4, 0, 0), (8, 0, 0)], lane [(0, 1, 0), (0, 2, 0), (0, 4, 0), (0, 8, 0), (0, 16, 0)], warp [(0, 32, 0)]}>
#right = #ttile.layout<16x1x64, atom 16x1x64 {reg [(1, 0, 0), (2, 0, 0), (4, 0, 0), (8, 0, 0)], lane [(0, 0, 1), (0, 0, 2), (0, 0, 4), (0, 0, 8), (0, 0, 16)], warp [(0, 0, 32)]}>
ttile.func @in_place(%x: memref<16x64xbf16>, %w: memref<16x64xbf16>) warps(2) {
  %a = ttile.alloc : memref<16x64xbf16, #local>
  %b = ttile.alloc : memref<16x64xbf16, #local>
  %zero = arith.constant dense<0.0> : tensor<1x64x64xf32, #sums>
  %0 = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : memref<16x64xbf16> -> tensor<16x64xbf16, #rows>
  ttile.store %0, %a through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<16x64xbf16, #rows> -> memref<16x64xbf16, #local>
  ttile.store %0, %b through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<16x64xbf16, #rows> -> memref<16x64xbf16, #local>
  %l = ttile.load %a through #tview.map<affine_map<(d0, d1, d2) -> (d0, d1)>>() {ttile.in_place = 0 : i64} : memref<16x64xbf16, #local> -> tensor<16x64x1xbf16, #left>
  %r = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (d0, d2)>>() {ttile.in_place = 1 : i64} : memref<16x64xbf16, #local> -> tensor<16x1x64xbf16, #right>
  %s = ttile.mma %l, %r, %zero {ttile.unit = "wgmma.m64n64k16.bf16"} : tensor<16x64x1xbf16, #left>, tensor<16x1x64xbf16, #right>, tensor<1x64x64xf32, #sums>
  %1 = ttile.load %w through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : memref<16x64xbf16> -> tensor<16x64xbf16, #rows>
  ttile.store %1, %a through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<16x64xbf16, #rows> -> memref<16x64xbf16, #local>
  ttile.return
}

// What a call settles may be any number: an access at it meets all others.
// CHECK-LABEL: @at_size
// CHECK: ttile.store
// CHECK-NEXT: ttile.barrier
// CHECK-NEXT: ttile.load
ttile.func @at_size(%x: memref<8xf32>) grid(%i = S ceildiv 8 <= 2) warps(2) symbols(%S = S <= 16) {
  %s = ttile.alloc : memref<32xf32, #local>
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<8xf32> -> tensor<8xf32, #across>
  ttile.store %t, %s through #tview.map<affine_map<(d0, d1) -> (d0 + d1)>>(%S) : tensor<8xf32, #across> -> memref<32xf32, #local>
  %u = ttile.load %s through #tview.map<affine_map<(d0) -> (d0)>>() : memref<32xf32, #local> -> tensor<8xf32, #across>
  ttile.return
}
