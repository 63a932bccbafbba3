// RUN: tensor-opt %s --kernel-schedule | FileCheck %s
// RUN: tensor-opt %s "--kernel-schedule=traits=lanes=8,registers=16" | FileCheck %s --check-prefix=AVX2
// RUN: tensor-opt %s --kernel-schedule=deterministic | FileCheck %s --check-prefix=EXACT
// RUN: tensor-opt %s "--kernel-schedule=traits=l1Bytes=4096,l2Bytes=8192,l3Bytes=8192" | FileCheck %s --check-prefix=SMALL
// RUN: tensor-run %s --compare=interpreter --quiet
// RUN: tensor-run %s --compare=interpreter --quiet --target=host:x86-64-v3

// Vectors along the queries in every stage; the scores of a program's queries are one panel.
// CHECK-LABEL: func.func @main
// CHECK: @primes {{.*}}[split i = [i_o, i_l 32], split j = [j_o, j_r 14], split e = [e_o, e_r 10], grid [b, h, i_o], order [e_o, j_o, j_r, d], tile [e_r, i_l], stage query as (d, i_l) at grid local, stage score as (j_o, j_r, i_l) at grid local, keep weight local, skip j, edge i peel, edge j peel, edge e peel
// Where the scores of a program's queries do not fit the second-level cache, a sweep over blocks of keys.
// SMALL: @primes {{.*}} split j = [j_o, j_m 2, j_r 14], {{.*}} order [j_o, e_o, j_m, j_r, d], {{.*}} stage score as (j_m, j_r, i_l) at j_o local, keep weight local, keep sum local, online j_o, skip j
// AVX2: @primes {{.*}}[split i = [i_o, i_l 16], split j = [j_o, j_r 6], {{.*}} tile [e_r, i_l]
// What a comparison masks is left out, but where only exact schedules are admitted.
// EXACT: @primes {{.*}} keep weight local, edge i peel
// Rows of the keys that lie a period of the nearest cache apart are copied next to each other.
// CHECK: @far {{.*}} stage query {{.*}}, stage key as (d, j_r) at j_o local, stage score
// Queries of several heads that share keys; the axis with most of them has the lanes.
// CHECK: @grouped {{.*}} grid [h, g, i_o]
// Few queries: keys and values as they lie in memory, lanes along what is summed and along the results; queries are rows of a tile.
// CHECK: @few {{.*}}[split j = [j_o, j_l 16], split e = [e_o, e_r 32], grid [h], order [e_o, e_r, j_o], tile [d, i, j_l], stage score as (i, j_o, j_l) at grid local, stage sum as (e_o, i, e_r) at grid local, keep weight local, edge j peel, edge e peel]
// Memory runs along the keys or is short: keys along the lanes, a block of keys transposed at a time.
// CHECK: @turned {{.*}}[split j = [j_o, j_l 16], split e = [e_o, e_r 12], grid [h, i], order [e_o, j_o, d], tile [e_r, j_l], stage key as (d, j_l) at j_o local, stage score as (j_o, j_l) at grid local, keep weight local, edge j peel, edge e peel]
// CHECK: @decode {{.*}} order [e_o, e_r, j_o, d_o], tile [d_l, i, j_l], stage score as (i, j_o, j_l) at grid local, stage sum as (e_o, i, e_r) at grid local, keep weight local, skip j,
// One query; six and 13, which share a block of keys while it is in the nearest cache; 24, which are filled up to whole vectors.
// CHECK: @one {{.*}} order [e, j_o, d_o], tile [d_l, j_l], stage score as (j_o, j_l) at grid local, stage sum as (e) at grid local, keep weight local]
// CHECK: @six {{.*}}[split j = [j_o, j_m 4, j_l 16], {{.*}} order [e, j_o, j_m, d_o], tile [d_l, i, j_l], stage score as (j_o, i, j_m, j_l) at grid local, stage sum as (i, e) at grid local, keep weight local]
// CHECK: @thirteen {{.*}}[split i = [i_o, i_r 7], {{.*}} grid [i_o], {{.*}} tile [d_l, i_r, j_l]
// CHECK: @twentyfour {{.*}}[split i = [i_o, i_l 32], {{.*}} tile [e_r, i_l], {{.*}} edge i pad
// No stage but the last reads what is not normalised: two sums between two products.
// CHECK: @linear {{.*}} stage score {{.*}}, edge
// CHECK-NOT: keep
!Q = tensor<2x3x37x11xf32>
!K = tensor<2x3x53x11xf32>
!V = tensor<2x3x53x19xf32>
!O = tensor<2x3x37x19xf32>
func.func @main(%q: !Q, %k: !K, %v: !V, %q2: tensor<33x1024xf32>, %k2: tensor<31x1024xf32>, %v2: tensor<31x5xf32>, %q4: tensor<8x17x9xf64>, %k4: tensor<2x15x9xf64>, %v4: tensor<2x15x7xf64>, %q5: tensor<8x2x9xf32>, %k5: tensor<8x47x9xf32>, %v5: tensor<8x47x35xf32>, %k6: tensor<8x9x47xf32>, %q7: tensor<3x37xf32>, %k7: tensor<67x37xf32>, %v7: tensor<67x150xf32>, %k8: tensor<1024x64xf32>, %v8: tensor<1024x64xf32>, %q_one: tensor<1x64xf32>, %q_six: tensor<6x64xf32>, %q_thirteen: tensor<13x64xf32>, %q_twentyfour: tensor<24x64xf32>) -> (!O, tensor<33x5xf32>, tensor<2x17x4x7xf64>, tensor<8x2x35xf32>, tensor<8x2x35xf32>, tensor<3x150xf32>, tensor<33x5xf32>, tensor<1x64xf32>, tensor<6x64xf32>, tensor<13x64xf32>, tensor<24x64xf32>) {
  %y = tkernel.kernel @primes (%b : 2, %h : 3, %i : 37, %j : 53, %d : 11, %e : 19) reads(%qs = %q : !Q, %ks = %k : !K, %vs = %v : !V) -> !O {
    %0 = tkernel.load %qs[%b, %h, %i, %d] : !Q
    %1 = tkernel.load %ks[%b, %h, %j, %d] : !K
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %scale = arith.constant 0.3 : f32
    %s1 = arith.mulf %s0, %scale : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s1, %never : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%b, %h, %j, %e] : !V
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%b, %h, %i, %e] : f32
  }
  %z = tkernel.kernel @far (%i : 33, %j : 31, %d : 1024, %e : 5) reads(%qs = %q2 : tensor<33x1024xf32>, %ks = %k2 : tensor<31x1024xf32>, %vs = %v2 : tensor<31x5xf32>) -> tensor<33x5xf32> {
    %0 = tkernel.load %qs[%i, %d] : tensor<33x1024xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<31x1024xf32>
    %s0 = tkernel.contract %1, %0 over (%d) : f32
    %scale = arith.constant 0.03125 : f32
    %s = arith.mulf %s0, %scale : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<31x5xf32>
    %o = tkernel.contract %2, %p over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %w = tkernel.kernel @grouped (%h : 2, %g : 4, %i : 17, %j : 15, %d : 9, %e : 7) reads(%qs = %q4 : tensor<8x17x9xf64>, %ks = %k4 : tensor<2x15x9xf64>, %vs = %v4 : tensor<2x15x7xf64>) -> tensor<2x17x4x7xf64> {
    %0 = tkernel.load %qs[4 * %h + %g, %i, %d] : tensor<8x17x9xf64>
    %1 = tkernel.load %ks[%h, %j, %d] : tensor<2x15x9xf64>
    %s = tkernel.contract %0, %1 over (%d) : f64
    %m = tkernel.reduce maximumf %s over (%j) : f64
    %x = arith.subf %s, %m : f64
    %p = math.exp %x : f64
    %l = tkernel.reduce addf %p over (%j) : f64
    %2 = tkernel.load %vs[%h, %j, %e] : tensor<2x15x7xf64>
    %o = tkernel.contract %p, %2 over (%j) : f64
    %r = arith.divf %o, %l : f64
    tkernel.store %r, 0[%h, %i, %g, %e] : f64
  }
  %t = tkernel.kernel @few (%h : 8, %i : 2, %j : 47, %d : 9, %e : 35) reads(%qs = %q5 : tensor<8x2x9xf32>, %ks = %k5 : tensor<8x47x9xf32>, %vs = %v5 : tensor<8x47x35xf32>) -> tensor<8x2x35xf32> {
    %0 = tkernel.load %qs[%h, %i, %d] : tensor<8x2x9xf32>
    %1 = tkernel.load %ks[%h, %j, %d] : tensor<8x47x9xf32>
    %s = tkernel.contract %0, %1 over (%d) : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%h, %j, %e] : tensor<8x47x35xf32>
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%h, %i, %e] : f32
  }
  %t2 = tkernel.kernel @turned (%h : 8, %i : 2, %j : 47, %d : 9, %e : 35) reads(%qs = %q5 : tensor<8x2x9xf32>, %ks = %k6 : tensor<8x9x47xf32>, %vs = %v5 : tensor<8x47x35xf32>) -> tensor<8x2x35xf32> {
    %0 = tkernel.load %qs[%h, %i, %d] : tensor<8x2x9xf32>
    %1 = tkernel.load %ks[%h, %d, %j] : tensor<8x9x47xf32>
    %s = tkernel.contract %0, %1 over (%d) : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%h, %j, %e] : tensor<8x47x35xf32>
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%h, %i, %e] : f32
  }
  %t3 = tkernel.kernel @decode (%i : 3, %j : 67, %d : 37, %e : 150) reads(%qs = %q7 : tensor<3x37xf32>, %ks = %k7 : tensor<67x37xf32>, %vs = %v7 : tensor<67x150xf32>) -> tensor<3x150xf32> {
    %0 = tkernel.load %qs[%i, %d] : tensor<3x37xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<67x37xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %capped = math.tanh %s0 : f32
    %last = affine.apply affine_map<(d0) -> (d0 * 16 + 31)>(%i)
    %seen = arith.cmpi sge, %last, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %capped, %never : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<67x150xf32>
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %sone = tkernel.kernel @one (%i : 1, %j : 1024, %d : 64, %e : 64) reads(%qs = %q_one : tensor<1x64xf32>, %ks = %k8 : tensor<1024x64xf32>, %vs = %v8 : tensor<1024x64xf32>) -> tensor<1x64xf32> {
    %0 = tkernel.load %qs[%i, %d] : tensor<1x64xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<1024x64xf32>
    %s = tkernel.contract %0, %1 over (%d) : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<1024x64xf32>
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %ssix = tkernel.kernel @six (%i : 6, %j : 1024, %d : 64, %e : 64) reads(%qs = %q_six : tensor<6x64xf32>, %ks = %k8 : tensor<1024x64xf32>, %vs = %v8 : tensor<1024x64xf32>) -> tensor<6x64xf32> {
    %0 = tkernel.load %qs[%i, %d] : tensor<6x64xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<1024x64xf32>
    %s = tkernel.contract %0, %1 over (%d) : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<1024x64xf32>
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %sthirteen = tkernel.kernel @thirteen (%i : 13, %j : 1024, %d : 64, %e : 64) reads(%qs = %q_thirteen : tensor<13x64xf32>, %ks = %k8 : tensor<1024x64xf32>, %vs = %v8 : tensor<1024x64xf32>) -> tensor<13x64xf32> {
    %0 = tkernel.load %qs[%i, %d] : tensor<13x64xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<1024x64xf32>
    %s = tkernel.contract %0, %1 over (%d) : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<1024x64xf32>
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %stwentyfour = tkernel.kernel @twentyfour (%i : 24, %j : 1024, %d : 64, %e : 64) reads(%qs = %q_twentyfour : tensor<24x64xf32>, %ks = %k8 : tensor<1024x64xf32>, %vs = %v8 : tensor<1024x64xf32>) -> tensor<24x64xf32> {
    %0 = tkernel.load %qs[%i, %d] : tensor<24x64xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<1024x64xf32>
    %s = tkernel.contract %0, %1 over (%d) : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<1024x64xf32>
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %u = tkernel.kernel @linear (%i : 33, %j : 31, %d : 1024, %e : 5) reads(%qs = %q2 : tensor<33x1024xf32>, %ks = %k2 : tensor<31x1024xf32>, %vs = %v2 : tensor<31x5xf32>) -> tensor<33x5xf32> {
    %0 = tkernel.load %qs[%i, %d] : tensor<33x1024xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<31x1024xf32>
    %s = tkernel.contract %0, %1 over (%d) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<31x5xf32>
    %o = tkernel.contract %s, %2 over (%j) : f32
    tkernel.store %o, 0[%i, %e] : f32
  }
  return %y, %z, %w, %t, %t2, %t3, %u, %sone, %ssix, %sthirteen, %stwentyfour : !O, tensor<33x5xf32>, tensor<2x17x4x7xf64>, tensor<8x2x35xf32>, tensor<8x2x35xf32>, tensor<3x150xf32>, tensor<33x5xf32>, tensor<1x64xf32>, tensor<6x64xf32>, tensor<13x64xf32>, tensor<24x64xf32>
}
