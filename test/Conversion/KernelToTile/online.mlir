// RUN: tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile --canonicalize --cse | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// One sweep over blocks of 12 points of j. Where a block raises the maximum, what is summed is scaled; a maximum of minus
// infinity is not subtracted. What is kept between the stages of a block has the size of a block.
// CHECK-LABEL: ttile.func @peeled
// CHECK-DAG:     %[[PANEL:.*]] = ttile.alloc : memref<3x4x16xf32, #gpu.address_space<workgroup>>
// CHECK-DAG:     %[[SUM:.*]] = ttile.alloc : memref<4x5x16xf32, #gpu.address_space<workgroup>>
// CHECK-NOT:     ttile.alloc
// CHECK:         scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}, %[[L:.*]] = %{{.*}}) -> (tensor<1x16xf32>, tensor<1x16xf32>)
// CHECK:           ttile.store {{.*}} %[[PANEL]]
// CHECK:           %[[AFTER:.*]] = scf.for
// CHECK:             arith.maximumf
// CHECK:           %[[UNSEEN:.*]] = arith.cmpf oeq, %[[AFTER]], %{{.*}}
// CHECK:           %[[SAFE:.*]] = arith.select %[[UNSEEN]], %{{.*}}, %[[AFTER]]
// CHECK:           %[[GROWN:.*]] = arith.subf %[[BEFORE]], %[[SAFE]]
// CHECK:           %[[SCALE:.*]] = math.exp %[[GROWN]]
// CHECK:           %[[SCALED:.*]] = arith.mulf %[[L]], %[[SCALE]]
// CHECK:           scf.for {{.*}} iter_args(%{{.*}} = %[[SCALED]])
// CHECK:             math.exp
// CHECK:             ttile.store {{.*}} %[[PANEL]]
// CHECK:           scf.for
// CHECK:             %[[O:.*]] = ttile.load %[[SUM]]
// CHECK:             math.fma %[[O]], %{{.*}}, %{{.*}} : tensor<5x16xf32>
// CHECK:           scf.yield
func.func @main(%q: tensor<37x11xf32>, %k: tensor<53x11xf32>, %v: tensor<53x19xf32>) -> (tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>) {
  %peeled = tkernel.kernel @peeled (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, il 16], split j = [jo, jm 3, jr 4], split e = [eo, er 5], grid [io], order [jo, eo, jm, jr, d], tile [er, il], stage s as (jm, jr, il) at jo local, keep p local, keep o local, online jo, edge j peel, edge e peel]>} {
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
      attributes {schedule = #tkernel.schedule<[split i = [io, il 16], split j = [jo, jm 3, jr 4], split e = [eo, er 5], grid [io], order [jo, eo, jm, jr, d], tile [er, il], stage s as (jm, jr, il) at jo local, keep p local, keep o local, online jo]>} {
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
  %late = tkernel.kernel @late (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, il 16], split j = [jo, jm 3, jr 4], split e = [eo, er 5], grid [io], order [jo, eo, jm, jr, d], tile [er, il], stage s as (jm, jr, il) at jo local, keep p local, keep o local, online jo, edge i peel, edge j peel, edge e peel]>} {
    %0 = tkernel.load %qs[%i, %d] : tensor<37x11xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<53x11xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sle, %i, %j : index
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
  %unseen = tkernel.kernel @unseen (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, il 16], split j = [jo, jm 3, jr 4], split e = [eo, er 5], grid [io], order [jo, eo, jm, jr, d], tile [er, il], stage s as (jm, jr, il) at jo local, keep p local, keep o local, online jo, edge j peel]>} {
    %0 = tkernel.load %qs[%i, %d] : tensor<37x11xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<53x11xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %three = affine.apply affine_map<(d0) -> (d0 + 3)>(%j)
    %seen = arith.cmpi sge, %i, %three : index
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
  %registers = tkernel.kernel @registers (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, il 8], grid [io], order [j, d], tile [e, il], online j]>} {
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
  %unstaged = tkernel.kernel @unstaged (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 7], grid [i], order [jo, e, jr, d], keep o local, online jo]>} {
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
  %result = tkernel.kernel @result (%i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : tensor<37x11xf32>, %ks = %k : tensor<53x11xf32>, %vs = %v : tensor<53x19xf32>) -> tensor<37x19xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 7], grid [i], order [jo, e, jr, d], keep o result, online jo, edge j peel]>} {
    %0 = tkernel.load %qs[%i, %d] : tensor<37x11xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<53x11xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sle, %i, %j : index
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
  return %peeled, %masked, %late, %unseen, %registers, %unstaged, %result : tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>, tensor<37x19xf32>
}
