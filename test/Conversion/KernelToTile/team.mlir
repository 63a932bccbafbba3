// RUN: tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile --canonicalize --cse | FileCheck %s

// A panel of b is filled by all threads in shared memory, one of a by each in its own; blocks of rows are shared.
// CHECK-LABEL: ttile.func @panels
// CHECK-NOT:     ttile.alloc
// CHECK:         %[[B:.*]] = ttile.alloc : memref<7x8xf32,
// CHECK:         scf.for %[[NO:.*]] = %c0 to %c2
// CHECK:           scf.forall (%{{.*}}) in (7) {
// CHECK-NEXT:        ttile.load %arg1 {{.*}} -> tensor<{{.*}}8xf32>
// CHECK-NEXT:        ttile.store %{{.*}}, %[[B]]
// CHECK-NEXT:      } {mapping = [#ttile.team]}
// CHECK-NEXT:      scf.forall (%[[MO:.*]]) in (3) {
// CHECK:             %[[A:.*]] = ttile.alloc : memref<7x4xf32,
// CHECK-NOT:         forall
// CHECK:             ttile.store %{{.*}}, %[[A]]
// CHECK:             scf.for
// CHECK-DAG:           ttile.load %[[A]]
// CHECK-DAG:           ttile.load %[[B]]
// CHECK:               ttile.mma
// CHECK:             ttile.store
// CHECK:           } {mapping = [#ttile.team]}
// CHECK-NEXT:    }
// CHECK-NEXT:    ttile.return
func.func @panels(%x: tensor<12x7xf32>, %w: tensor<7x16xf32>) -> tensor<12x16xf32> {
  %y = tkernel.kernel @panels (%m : 12, %n : 16, %k : 7) reads(%a = %x : tensor<12x7xf32>, %b = %w : tensor<7x16xf32>) -> tensor<12x16xf32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mr 4], split n = [no, nr 8], order [no, mo, k], team [mo], tile [mr, nr], stage rhs as (k, nr) at no local, stage lhs as (k, mr) at mo local]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<12x7xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<7x16xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<12x16xf32>
}

// Blocks of k outside: sums are in the result meanwhile, also where one iteration is all that is shared.
// CHECK-LABEL: ttile.func @blocks
// CHECK:         scf.forall (%{{.*}}) in (1) {
// CHECK:           ttile.store %cst
// CHECK:         scf.for
// CHECK:           scf.forall
// CHECK:             ttile.store {{.*}} #gpu.address_space<workgroup>>
// CHECK:           scf.forall (%{{.*}}) in (1) {
// CHECK:             scf.for
// CHECK:               ttile.mma
// CHECK:             ttile.load %arg2
// CHECK:             ttile.store {{.*}}, %arg2
// CHECK:         ttile.return
func.func @blocks(%x: tensor<4x6xf32>, %w: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %y = tkernel.kernel @blocks (%m : 4, %n : 8, %k : 6) reads(%a = %x : tensor<4x6xf32>, %b = %w : tensor<6x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mr 4], split k = [ko, ki 3], order [ko, mo, ki], team [mo], tile [mr, n], stage rhs at ko local, keep c result]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<4x6xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<6x8xf32>
    %2 = tkernel.contract %0, %1 over (%k) {name = "c"} : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<4x8xf32>
}

// The last iteration of a peeled axis, and what is left of a loop that fills, are branches: one loop each.
// CHECK-LABEL: ttile.func @edges
// CHECK:         scf.forall (%[[K:.*]]) = (0) to (129) step (64) {
// CHECK:           arith.cmpi eq, %[[K]], %c128
// CHECK:           scf.if
// CHECK:             ttile.load {{.*}} -> tensor<22xf32>
// CHECK:           } else {
// CHECK:             ttile.load {{.*}} -> tensor<64xf32>
// CHECK:         scf.forall (%[[I:.*]]) in (3) {
// CHECK:           arith.cmpi eq, %[[I]], %c2
// CHECK:           scf.if
// CHECK:             tensor<2x150xf32>
// CHECK:           } else {
// CHECK:             tensor<4x150xf32>
// CHECK-NOT:     forall
func.func @edges(%x: tensor<10x150xf32>, %w: tensor<150xf32>) -> tensor<10x150xf32> {
  %y = tkernel.kernel @edges (%i : 10, %j : 150) reads(%a = %x : tensor<10x150xf32>, %b = %w : tensor<150xf32>) -> tensor<10x150xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ir 4], team [io], tile [ir, j], stage v at grid local, edge i peel]>} {
    %u = tkernel.load %a[%i, %j] : tensor<10x150xf32>
    %v = tkernel.load %b[%j] {name = "v"} : tensor<150xf32>
    %s = arith.addf %u, %v : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<10x150xf32>
}

// All threads copy a window; two axes are one loop.
// CHECK-LABEL: ttile.func @window
// CHECK:         %[[W:.*]] = ttile.alloc : memref<6x10xf32,
// CHECK:         scf.forall (%{{.*}}) in (6) {
// CHECK:           ttile.store %{{.*}}, %[[W]]
// CHECK:         scf.forall (%{{.*}}, %{{.*}}) in (4, 2) {
// CHECK:           ttile.load %[[W]]
// CHECK:         } {mapping = [#ttile.team, #ttile.team]}
func.func @window(%x: tensor<6x10xf32>) -> tensor<4x8xf32> {
  %y = tkernel.kernel @window (%p : 4, %q : 8, %r : 3, %s : 3) reads(%a = %x : tensor<6x10xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[split q = [qo, qr 4], order [p, qo, r, s], team [p, qo], tile [qr], stage v window at grid local]>} {
    %v = tkernel.load %a[%p + %r, %q + %s] {name = "v"} : tensor<6x10xf32>
    %m = tkernel.reduce addf %v over (%r, %s) : f32
    tkernel.store %m, 0[%p, %q] : f32
  }
  return %y : tensor<4x8xf32>
}
