// RUN: tensor-run %s --compare=interpreter --quiet --no-cache
// RUN: tensor-run %s --compare=interpreter --quiet --no-cache --target=host:x86-64-v3
// RUN: tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile --canonicalize --cse | FileCheck %s

// Contractions that are staged and sum over axes of the tile; sums that read what a reduction has
// kept.
func.func @main(%x: tensor<3x37xf32>, %y: tensor<53x37xf32>, %z: tensor<37x53xf32>, %v: tensor<53x19xf32>, %n: tensor<2x67xf64>, %b5: tensor<67x5xf64>, %n3: tensor<3x53x19xf32>, %n19: tensor<19xf32>)
    -> (tensor<3x53xf32>, tensor<3x53xf32>, tensor<3x19xf32>, tensor<3x19xf32>, tensor<2x5xf64>, tensor<3x53x19xf32>) {
  // Memory runs along what is summed over: lanes, combined for each row.
  // CHECK-LABEL: ttile.func @lanes
  // CHECK: ttile.mma {{.*}} tensor<8x16xf32>
  // CHECK: ttile.reduce addf {{.*}} dims [1] : tensor<8x16xf32> -> tensor<8x1xf32>
  // CHECK: ttile.store {{.*}} tensor<8x1xf32>
  %a = tkernel.kernel @lanes (%i : 3, %j : 53, %k : 37) reads(%l = %x : tensor<3x37xf32>, %r = %y : tensor<53x37xf32>) -> tensor<3x53xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 8], split k = [ko, ki 16], grid [i], order [jo, ko], tile [ki, ji], stage p as (jo, ji) at grid local, edge j peel, edge k peel]>} {
    %0 = tkernel.load %l[%i, %k] : tensor<3x37xf32>
    %1 = tkernel.load %r[%j, %k] : tensor<53x37xf32>
    %2 = tkernel.contract %0, %1 over (%k) {name = "p"} : f32
    %3 = arith.negf %2 : f32
    tkernel.store %3, 0[%i, %j] : f32
  }
  // Memory runs along the buffer: a loop over the axis of the tile.
  // CHECK-LABEL: ttile.func @loops
  // CHECK: scf.for {{.*}} to %c16
  // CHECK-NEXT: ttile.load
  // CHECK-NEXT: ttile.load
  // CHECK-NEXT: ttile.mma {{.*}} tensor<8xf32>
  // CHECK-NOT: ttile.reduce
  %b = tkernel.kernel @loops (%i : 3, %j : 53, %k : 37) reads(%l = %x : tensor<3x37xf32>, %r = %z : tensor<37x53xf32>) -> tensor<3x53xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 8], split k = [ko, ki 16], grid [i], order [jo, ko], tile [ki, ji], stage p as (jo, ji) at grid local, edge j mask, edge k peel]>} {
    %0 = tkernel.load %l[%i, %k] : tensor<3x37xf32>
    %1 = tkernel.load %r[%k, %j] : tensor<37x53xf32>
    %2 = tkernel.contract %0, %1 over (%k) {name = "p"} : f32
    %3 = arith.negf %2 : f32
    tkernel.store %3, 0[%i, %j] : f32
  }
  // What the sum over j has left in local memory is summed again along v.
  // CHECK-LABEL: ttile.func @kept
  // CHECK: %[[P:.*]] = ttile.alloc : memref<4x16xf32
  // CHECK: math.exp
  // CHECK: ttile.store {{.*}} %[[P]]
  // CHECK: ttile.load %[[P]] {{.*}} -> tensor<1xf32>
  %c = tkernel.kernel @kept (%i : 3, %j : 53, %d : 37, %e : 19) reads(%q = %x : tensor<3x37xf32>, %k = %y : tensor<53x37xf32>, %w = %v : tensor<53x19xf32>) -> tensor<3x19xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 16], split d = [do, di 16], split e = [eo, ei 8], grid [i], order [eo, ei, jo, do], tile [di, ji], stage s as (jo, ji) at grid local, stage o as (eo, ei) at grid local, keep p local, skip j, edge j peel, edge d peel, edge e peel]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<3x37xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<53x37xf32>
    %2 = tkernel.contract %0, %1 over (%d) {name = "s"} : f32
    %last = affine.apply affine_map<(d0) -> (d0 * 11 + 17)>(%i)
    %seen = arith.cmpi sge, %last, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %2, %never : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %f = arith.subf %s, %m : f32
    %p = math.exp %f {name = "p"} : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %3 = tkernel.load %w[%j, %e] : tensor<53x19xf32>
    %o = tkernel.contract %p, %3 over (%j) {name = "o"} : f32
    %g = arith.divf %o, %l : f32
    tkernel.store %g, 0[%i, %e] : f32
  }
  // The same with several rows in the tile, which see different points.
  %rows = tkernel.kernel @rows (%i : 3, %j : 53, %d : 37, %e : 19) reads(%q = %x : tensor<3x37xf32>, %k = %y : tensor<53x37xf32>, %w = %v : tensor<53x19xf32>) -> tensor<3x19xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 16], split d = [do, di 16], order [e, jo, do], tile [di, i, ji], stage s as (jo, i, ji) at grid local, stage o as (i, e) at grid local, keep p local, skip j, edge j peel, edge d peel]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<3x37xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<53x37xf32>
    %2 = tkernel.contract %0, %1 over (%d) {name = "s"} : f32
    %last = affine.apply affine_map<(d0) -> (d0 * 11 + 17)>(%i)
    %seen = arith.cmpi sge, %last, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %2, %never : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %f = arith.subf %s, %m : f32
    %p = math.exp %f {name = "p"} : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %3 = tkernel.load %w[%j, %e] : tensor<53x19xf32>
    %o = tkernel.contract %p, %3 over (%j) {name = "o"} : f32
    %g = arith.divf %o, %l : f32
    tkernel.store %g, 0[%i, %e] : f32
  }
  // Fewer points than lanes, and no split.
  %t = tkernel.kernel @short (%i : 2, %j : 67, %e : 5) reads(%q = %n : tensor<2x67xf64>, %w = %b5 : tensor<67x5xf64>) -> tensor<2x5xf64>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 8], grid [i], order [e, jo], tile [ji], stage o as (e) at grid local, keep p local, edge j mask]>} {
    %0 = tkernel.load %q[%i, %j] : tensor<2x67xf64>
    %p = math.exp %0 {name = "p"} : f64
    %l = tkernel.reduce addf %p over (%j) : f64
    %1 = tkernel.load %w[%j, %e] : tensor<67x5xf64>
    %2 = tkernel.contract %p, %1 over (%j) {name = "o"} : f64
    %g = arith.divf %2, %l : f64
    tkernel.store %g, 0[%i, %e] : f64
  }
  // What varies along the axis that it is summed over: a dimension of the buffer's tile.
  %d = tkernel.kernel @along (%k : 19, %i : 3, %j : 53) reads(%l = %n3 : tensor<3x53x19xf32>, %r = %n19 : tensor<19xf32>) -> tensor<3x53x19xf32>
      attributes {schedule = #tkernel.schedule<[order [i, k], tile [j], stage d as (i, j, k) at grid local]>} {
    %0 = tkernel.load %l[%i, %j, %k] : tensor<3x53x19xf32>
    %1 = tkernel.load %r[%k] : tensor<19xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    %3 = arith.subf %0, %2 {name = "d"} : f32
    %4 = math.tanh %3 : f32
    tkernel.store %4, 0[%i, %j, %k] : f32
  }
  return %a, %b, %c, %rows, %t, %d : tensor<3x53xf32>, tensor<3x53xf32>, tensor<3x19xf32>, tensor<3x19xf32>, tensor<2x5xf64>, tensor<3x53x19xf32>
}
