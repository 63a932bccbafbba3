// RUN: tensor-opt %s --host-print-prices -o /dev/null | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet
// RUN: tensor-run %s --compare=interpreter --quiet --target=host:x86-64-v3

// Five queries are filled up to eight lanes; what is masked of the keys is left out all the same.
// CHECK: @five{{.*}}split i = [i_o, i_l 8], {{.*}}tile [e, i_l], stage query as (d, i_l) at grid local, stage score as (j_o, j_r, i_l) at grid local, keep weight local, {{.*}}edge i pad
// CHECK: @masked{{.*}}split i = [i_o, i_l 8], {{.*}}tile [e, i_l], {{.*}}skip j, edge i pad
// Eight fill a vector as they are.
// CHECK: @eight{{.*}}tile [e, i]
// CHECK-NOT: edge i
!Q = tensor<2x5x11xf32>
!Q2 = tensor<2x6x11xf32>
!Q3 = tensor<2x8x11xf32>
!K = tensor<2x53x11xf32>
!V = tensor<2x53x19xf32>
!O = tensor<2x5x19xf32>
!O2 = tensor<2x6x19xf32>
!O3 = tensor<2x8x19xf32>
func.func @main(%q: !Q, %q2: !Q2, %q3: !Q3, %k: !K, %v: !V) -> (!O, !O2, !O3) {
  %y = tkernel.kernel @five (%h : 2, %i : 5, %j : 53, %d : 11, %e : 19) reads(%qs = %q : !Q, %ks = %k : !K, %vs = %v : !V) -> !O {
    %0 = tkernel.load %qs[%h, %i, %d] : !Q
    %1 = tkernel.load %ks[%h, %j, %d] : !K
    %s = tkernel.contract %0, %1 over (%d) : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%h, %j, %e] : !V
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%h, %i, %e] : f32
  }
  %z = tkernel.kernel @masked (%h : 2, %i : 6, %j : 53, %d : 11, %e : 19) reads(%qs = %q2 : !Q2, %ks = %k : !K, %vs = %v : !V) -> !O2 {
    %0 = tkernel.load %qs[%h, %i, %d] : !Q2
    %1 = tkernel.load %ks[%h, %j, %d] : !K
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %never = arith.constant 0xFF800000 : f32
    %seen = arith.cmpi sle, %j, %i : index
    %s = arith.select %seen, %s0, %never : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%h, %j, %e] : !V
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%h, %i, %e] : f32
  }
  %w = tkernel.kernel @eight (%h : 2, %i : 8, %j : 53, %d : 11, %e : 19) reads(%qs = %q3 : !Q3, %ks = %k : !K, %vs = %v : !V) -> !O3 {
    %0 = tkernel.load %qs[%h, %i, %d] : !Q3
    %1 = tkernel.load %ks[%h, %j, %d] : !K
    %s = tkernel.contract %0, %1 over (%d) : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %vs[%h, %j, %e] : !V
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%h, %i, %e] : f32
  }
  return %y, %z, %w : !O, !O2, !O3
}
