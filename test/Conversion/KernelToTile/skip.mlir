// RUN: tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile --canonicalize --cse | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// Loops over j end with what the last of a tile's 16 points of i sees. Tiles of j that the first of them sees are
// computed without the mask, the others with it.
// CHECK-LABEL: ttile.func @causal
// CHECK:         affine.apply
// CHECK:         arith.maxsi
// CHECK:         arith.minsi
// CHECK:         scf.for {{.*}} = %c0 to %[[ALL:[0-9]+]] step
// CHECK-NOT:       ttile.index
// CHECK:           ttile.store
// CHECK:         scf.for {{.*}} = %[[ALL]] to %[[ANY:[0-9]+]] step
// CHECK:           ttile.index
// CHECK:           arith.select
// CHECK:         arith.maximumf
// CHECK:         math.exp
// CHECK-NOT:     ttile.index
// CHECK:         ttile.mma {{.*}} tensor<5x16xf32>
// The inner part of a split axis runs to its end: it is short.
// CHECK-LABEL: ttile.func @plain
// CHECK:         %[[SOME:[0-9]+]] = arith.minsi
// CHECK:         scf.for {{.*}} = %c0 to %[[SOME]] step %c1
// CHECK-NEXT:      scf.for {{.*}} = %c0 to %c7 step %c1
// Rows are loops of the filling, but dimensions of the tile that reads: each row has what any of them sees.
// CHECK-LABEL: @rows
func.func @main(%q: tensor<37x11xf32>, %k: tensor<53x11xf32>, %v: tensor<53x19xf32>) -> (tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>) {
  %causal = tkernel.kernel @causal (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, il 16], split j = [jo, jr 4], split e = [eo, er 5], grid [io], order [eo, jo, jr, d], tile [er, il], stage s as (jo, jr, il) at grid local, keep p local, skip j, edge j peel, edge e peel]>} {
    %0 = tkernel.load %qs[%i, %d] : tensor<37x11xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<53x11xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x {name = "p"} : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<53x19xf32>
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %masked = tkernel.kernel @masked (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, il 16], split j = [jo, jr 4], split e = [eo, er 5], grid [io], order [eo, jo, jr, d], tile [er, il], stage s as (jo, jr, il) at grid local, keep p local, skip j]>} {
    %0 = tkernel.load %qs[%i, %d] : tensor<37x11xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<53x11xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %last = affine.apply affine_map<(d0) -> (d0 + 17)>(%i)
    %seen = arith.cmpi slt, %j, %last : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x {name = "p"} : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<53x19xf32>
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %online = tkernel.kernel @online (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, il 16], split j = [jo, jm 3, jr 4], split e = [eo, er 5], grid [io], order [jo, eo, jm, jr, d], tile [er, il], stage s as (jm, jr, il) at jo local, keep p local, keep o local, online jo, skip j, edge i peel, edge j peel, edge e peel]>} {
    %0 = tkernel.load %qs[%i, %d] : tensor<37x11xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<53x11xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x {name = "p"} : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<53x19xf32>
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %half = tkernel.kernel @half (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, il 16], split j = [jo, jr 4], split e = [eo, er 5], grid [io], order [eo, jo, jr, d], tile [er, il], stage s as (jo, jr, il) at grid local, keep p local, skip j, edge i peel]>} {
    %0 = tkernel.load %qs[%i, %d] : tensor<37x11xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<53x11xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %twice = affine.apply affine_map<(d0) -> (d0 * 2)>(%j)
    %seen = arith.cmpi sge, %i, %twice : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x {name = "p"} : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<53x19xf32>
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %reversed = tkernel.kernel @reversed (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, il 16], split j = [jo, jr 4], split e = [eo, er 5], grid [io], order [eo, jo, jr, d], tile [er, il], stage s as (jo, jr, il) at grid local, keep p local, skip j, edge i peel]>} {
    %0 = tkernel.load %qs[%i, %d] : tensor<37x11xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<53x11xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %from = affine.apply affine_map<(d0) -> (40 - d0)>(%i)
    %seen = arith.cmpi sge, %from, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x {name = "p"} : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<53x19xf32>
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %inverted = tkernel.kernel @inverted (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, il 16], split j = [jo, jr 4], split e = [eo, er 5], grid [io], order [eo, jo, jr, d], tile [er, il], stage s as (jo, jr, il) at grid local, keep p local, skip j, edge i peel]>} {
    %0 = tkernel.load %qs[%i, %d] : tensor<37x11xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<53x11xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %hidden = arith.cmpi slt, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %hidden, %never, %s0 {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x {name = "p"} : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<53x19xf32>
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %plain = tkernel.kernel @plain (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 7], grid [i], order [e, jo, jr, d], skip j, edge j peel]>} {
    %0 = tkernel.load %qs[%i, %d] : tensor<37x11xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<53x11xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x {name = "p"} : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<53x19xf32>
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %points = tkernel.kernel @points (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split e = [eo, er 8], grid [i, eo], order [j, d], tile [er], skip j]>} {
    %0 = tkernel.load %qs[%i, %d] : tensor<37x11xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<53x11xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x {name = "p"} : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<53x19xf32>
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %rows = tkernel.kernel @rows (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 5], split j = [jo, jl 4], grid [io], order [e, jo, d], tile [ii, jl], stage s as (ii, jo, jl) at grid local, skip j, edge i peel, edge j peel]>} {
    %0 = tkernel.load %qs[%i, %d] : tensor<37x11xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<53x11xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x {name = "p"} : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<53x19xf32>
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %causal, %masked, %online, %half, %reversed, %inverted, %plain, %points, %rows : tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>
}
