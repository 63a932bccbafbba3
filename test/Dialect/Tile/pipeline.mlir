// RUN: tensor-opt %s --split-input-file --tile-pipeline --verify-diagnostics | FileCheck %s
// RUN: tensor-opt %s --split-input-file --verify-diagnostics --tile-pipeline --tile-prove-bounds --tile-assign-layouts --tile-insert-barriers | FileCheck %s --check-prefix=BARRIERS

#space = #gpu.address_space<workgroup>

// Three slots: two are filled before the loop, each of ten iterations waits for its own and fills the one before
// it again. Nine of them are three turns of a loop over the slots, and one is left.
// CHECK-LABEL: ttile.func @ring
// CHECK: %[[RING:.*]] = ttile.alloc : memref<3x64xf32, #gpu.address_space<workgroup>>
// CHECK: ttile.store %{{.*}}, %[[RING]] through {{.*}}(d0) -> (0, d0){{.*}}ttile.asynchronous, ttile.commit}
// CHECK: ttile.store %{{.*}}, %[[RING]] through {{.*}}(d0) -> (1, d0){{.*}}ttile.asynchronous, ttile.commit}
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
// CHECK:   ttile.barrier {ttile.wait = 1 : i64}
// CHECK:   %[[NEXT:.*]] = affine.apply #{{.*}}(%[[J]])
// CHECK:   ttile.load %{{.*}} through #tview.map<affine_map<{{.*}}>, [{{.*}}]>(%[[NEXT]], %[[NEXT]])
// CHECK:   ttile.store %{{.*}}, %[[RING]] through {{.*}}(d0) -> (2, d0){{.*}}ttile.asynchronous, ttile.commit}
// CHECK:   ttile.load %[[RING]] through {{.*}}(d0) -> (0, -d0 + 63)
// CHECK:   ttile.barrier {ttile.wait = 1 : i64}
// CHECK:   ttile.load %[[RING]] through {{.*}}(d0) -> (1, -d0 + 63)
// CHECK:   ttile.barrier {ttile.wait = 1 : i64}
// CHECK:   ttile.load %[[RING]] through {{.*}}(d0) -> (2, -d0 + 63)
// CHECK:   scf.yield
// CHECK: ttile.barrier {ttile.wait = 1 : i64}
// CHECK-NOT: ttile.asynchronous
// CHECK: ttile.load %[[RING]] through {{.*}}(d0) -> (0, -d0 + 63)

// Those barriers are all that it takes.
// BARRIERS-LABEL: ttile.func @ring
// BARRIERS: scf.for
// BARRIERS-COUNT-3: ttile.barrier
// BARRIERS-NOT: ttile.barrier
// BARRIERS: scf.yield
ttile.func @ring(%x: memref<640xf32>) results(%y: memref<64xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %s = ttile.alloc {ttile.slots = 3 : i64} : memref<64xf32, #space>
  %sum = scf.for %k = %c0 to %c10 step %c1 iter_args(%before = %zero) -> (tensor<64xf32>) {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 64 + d0)>>(%k) : memref<640xf32> -> tensor<64xf32>
    ttile.store %t, %s through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32, #space>
    %u = ttile.load %s through #tview.map<affine_map<(d0) -> (63 - d0)>>() : memref<64xf32, #space> -> tensor<64xf32>
    %after = arith.addf %before, %u : tensor<64xf32>
    scf.yield %after : tensor<64xf32>
  }
  ttile.store %sum, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32>
  ttile.return
}

// -----

#space = #gpu.address_space<workgroup>

// Bounds that a program's number settles: the first slots are filled if there are so many iterations, and what is left over is behind branches, the
// second in the first.
// CHECK-LABEL: ttile.func @unknown
// CHECK-SAME: grid(%[[I:.*]] = 4)
// CHECK: %[[END:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK: %[[RING:.*]] = ttile.alloc : memref<3x64xf32, #gpu.address_space<workgroup>>
// CHECK: ttile.load %{{.*}} through #tview.map<{{.*}} else 0.0{{.*}}(%{{.*}}, %{{.*}}, %[[END]])
// CHECK: ttile.store %{{.*}}, %[[RING]] through {{.*}}(d0) -> (0, d0){{.*}}ttile.asynchronous, ttile.commit}
// CHECK: ttile.store %{{.*}}, %[[RING]] through {{.*}}(d0) -> (1, d0){{.*}}ttile.asynchronous, ttile.commit}
// CHECK: %[[LOOP:.*]] = scf.for
// CHECK-COUNT-3: ttile.barrier {ttile.wait = 1 : i64}
// CHECK: scf.yield
// CHECK: %[[ALL:.*]] = scf.if
// CHECK:   ttile.barrier {ttile.wait = 1 : i64}
// CHECK:   ttile.load %[[RING]] through {{.*}}(d0) -> (0, -d0 + 63)
// CHECK:   %[[BOTH:.*]] = scf.if
// CHECK:     ttile.barrier {ttile.wait = 0 : i64}
// CHECK:     ttile.load %[[RING]] through {{.*}}(d0) -> (1, -d0 + 63)
// CHECK:   } else {
// CHECK:   scf.yield %[[BOTH]]
// CHECK: } else {
// CHECK:   scf.yield %[[LOOP]]
// CHECK: ttile.store %[[ALL]]
// BARRIERS-LABEL: ttile.func @unknown
// BARRIERS: scf.for
// BARRIERS-COUNT-3: ttile.barrier
// BARRIERS-NOT: ttile.barrier
// BARRIERS: scf.yield
ttile.func @unknown(%x: memref<640xf32>) results(%y: memref<4x64xf32>) grid(%i = 4) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i)
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %s = ttile.alloc {ttile.slots = 3 : i64} : memref<64xf32, #space>
  %sum = scf.for %k = %c0 to %end step %c1 iter_args(%before = %zero) -> (tensor<64xf32>) {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 64 + d0)>>(%k) : memref<640xf32> -> tensor<64xf32>
    ttile.store %t, %s through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32, #space>
    %u = ttile.load %s through #tview.map<affine_map<(d0) -> (63 - d0)>>() : memref<64xf32, #space> -> tensor<64xf32>
    %after = arith.addf %before, %u : tensor<64xf32>
    scf.yield %after : tensor<64xf32>
  }
  ttile.store %sum, %y through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%i) : tensor<64xf32> -> memref<4x64xf32>
  ttile.return
}

// -----

#space = #gpu.address_space<workgroup>

// A loop of one iteration is none.
// CHECK-LABEL: ttile.func @once
// CHECK: ttile.alloc : memref<64xf32
// CHECK-NOT: ttile.asynchronous
ttile.func @once(%x: memref<64xf32>) results(%y: memref<64xf32>) warps(1) {
  %s = ttile.alloc {ttile.slots = 2 : i64} : memref<64xf32, #space>
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<64xf32> -> tensor<64xf32>
  ttile.store %t, %s through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32, #space>
  %u = ttile.load %s through #tview.map<affine_map<(d0) -> (63 - d0)>>() : memref<64xf32, #space> -> tensor<64xf32>
  ttile.store %u, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32>
  ttile.return
}

// -----

#space = #gpu.address_space<workgroup>

// Two loops that fill and read the memory in turn have a ring each.
// CHECK-LABEL: ttile.func @twice
// CHECK-DAG: %[[A:.*]] = ttile.alloc : memref<2x64xf32
// CHECK-DAG: %[[B:.*]] = ttile.alloc : memref<2x64xf32
// CHECK: scf.for
// CHECK: ttile.load %[[FIRST:.*]] through {{.*}}(d0) -> (0, -d0 + 63)
// CHECK: scf.for
// CHECK-NOT: ttile.load %[[FIRST]]
// CHECK: ttile.load %{{.*}} through {{.*}}(d0) -> (0, -d0 + 63)
// CHECK-NOT: ttile.load %[[FIRST]]
// CHECK: ttile.return
ttile.func @twice(%x: memref<640xf32>) results(%y: memref<64xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %s = ttile.alloc {ttile.slots = 2 : i64} : memref<64xf32, #space>
  %most = scf.for %k = %c0 to %c10 step %c1 iter_args(%before = %zero) -> (tensor<64xf32>) {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 64 + d0)>>(%k) : memref<640xf32> -> tensor<64xf32>
    ttile.store %t, %s through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32, #space>
    %u = ttile.load %s through #tview.map<affine_map<(d0) -> (63 - d0)>>() : memref<64xf32, #space> -> tensor<64xf32>
    %after = arith.maximumf %before, %u : tensor<64xf32>
    scf.yield %after : tensor<64xf32>
  }
  %sum = scf.for %k = %c0 to %c10 step %c1 iter_args(%before = %most) -> (tensor<64xf32>) {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 64 + d0)>>(%k) : memref<640xf32> -> tensor<64xf32>
    ttile.store %t, %s through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32, #space>
    %u = ttile.load %s through #tview.map<affine_map<(d0) -> (63 - d0)>>() : memref<64xf32, #space> -> tensor<64xf32>
    %after = arith.addf %before, %u : tensor<64xf32>
    scf.yield %after : tensor<64xf32>
  }
  ttile.store %sum, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32>
  ttile.return
}

// -----

#space = #gpu.address_space<workgroup>

ttile.func @nested(%x: memref<640xf32>) results(%y: memref<64xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %a = ttile.alloc {ttile.slots = 2 : i64} : memref<64xf32, #space>
  // expected-error @+1 {{'ttile.alloc' op expected no ring to be filled in a loop that fills another one: leave prefetch of one of them out of its schedule [T0422]}}
  %b = ttile.alloc {ttile.slots = 2 : i64} : memref<64xf32, #space>
  scf.for %k = %c0 to %c10 step %c1 {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 64 + d0)>>(%k) : memref<640xf32> -> tensor<64xf32>
    ttile.store %t, %a through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32, #space>
    scf.for %l = %c0 to %c10 step %c1 {
      %u = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 64 + d0)>>(%l) : memref<640xf32> -> tensor<64xf32>
      ttile.store %u, %b through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32, #space>
    }
  }
  ttile.return
}

// -----

#space = #gpu.address_space<workgroup>

ttile.func @computed(%x: memref<640xf32>) results(%y: memref<64xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %s = ttile.alloc {ttile.slots = 2 : i64} : memref<64xf32, #space>
  scf.for %k = %c0 to %c10 step %c1 {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 64 + d0)>>(%k) : memref<640xf32> -> tensor<64xf32>
    %n = arith.negf %t : tensor<64xf32>
    // expected-error @+1 {{'ttile.store' op expected a ring to be filled with what one load reads from memory, found 'tensor<64xf32>' [T0422]}}
    ttile.store %n, %s through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32, #space>
  }
  ttile.return
}

// -----

#space = #gpu.address_space<workgroup>

ttile.func @read_behind(%x: memref<640xf32>) results(%y: memref<64xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  // expected-error @+1 {{'ttile.alloc' op expected a ring to be filled and read in one loop of constant step: leave prefetch out of its schedule [T0422]}}
  %s = ttile.alloc {ttile.slots = 2 : i64} : memref<64xf32, #space>
  scf.for %k = %c0 to %c10 step %c1 {
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 64 + d0)>>(%k) : memref<640xf32> -> tensor<64xf32>
    ttile.store %t, %s through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32, #space>
  }
  %u = ttile.load %s through #tview.map<affine_map<(d0) -> (63 - d0)>>() : memref<64xf32, #space> -> tensor<64xf32>
  ttile.store %u, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32>
  ttile.return
}
