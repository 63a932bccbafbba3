// RUN: tensor-opt %s "--kernel-schedule=traits=lanes=8,registers=16" | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet --target=host:x86-64-v3

// What is computed of the exponentials for the second product is computed once, not again for each block of its columns.
// CHECK: @masked {{.*}} order [e_o, j_o, j_r, d], tile [e_r, i_l], {{.*}} keep weight local, keep last local
// Queries that are divided by what is reduced of them are so once for a program, before the scores.
// CHECK: @unit {{.*}} stage row as (d, i_l) at grid local, keep query local, stage score
// A value that reads another one twice belongs to the scores as well.
// CHECK: @squares {{.*}} stage score
// CHECK-NOT: keep
// CHECK: arith.mulf {{.*}} {name = "score"}
func.func @main(%q: tensor<48x32xf32>, %k: tensor<40x32xf32>, %v: tensor<40x48xf32>, %m: tensor<48x40xf32>) -> (tensor<48x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>) {
  %y = tkernel.kernel @masked (%i : 48, %j : 40, %d : 32, %e : 48) reads(%qs = %q : tensor<48x32xf32>, %ks = %k : tensor<40x32xf32>, %vs = %v : tensor<40x48xf32>, %ms = %m : tensor<48x40xf32>) -> tensor<48x48xf32> {
    %0 = tkernel.load %qs[%i, %d] : tensor<48x32xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<40x32xf32>
    %s = tkernel.contract %0, %1 over (%d) : f32
    %h = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %h : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %n = arith.divf %p, %l : f32
    %2 = tkernel.load %ms[%i, %j] : tensor<48x40xf32>
    %w = arith.mulf %n, %2 : f32
    %3 = tkernel.load %vs[%j, %e] : tensor<40x48xf32>
    %o = tkernel.contract %w, %3 over (%j) : f32
    tkernel.store %o, 0[%i, %e] : f32
  }
  %u = tkernel.kernel @unit (%i : 48, %j : 40, %d : 32, %e : 48) reads(%qs = %q : tensor<48x32xf32>, %ks = %k : tensor<40x32xf32>, %vs = %v : tensor<40x48xf32>) -> tensor<48x48xf32> {
    %one = arith.constant 1.0 : f32
    %0 = tkernel.load %qs[%i, %d] : tensor<48x32xf32>
    %square = arith.mulf %0, %0 : f32
    %squares = tkernel.reduce addf %square over (%d) : f32
    %more = arith.addf %squares, %one : f32
    %share = math.rsqrt %more : f32
    %c = arith.mulf %0, %share : f32
    %1 = tkernel.load %ks[%j, %d] : tensor<40x32xf32>
    %s = tkernel.contract %c, %1 over (%d) : f32
    %h = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %h : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %3 = tkernel.load %vs[%j, %e] : tensor<40x48xf32>
    %o = tkernel.contract %p, %3 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  %z = tkernel.kernel @squares (%i : 48, %j : 40, %d : 32, %e : 48) reads(%qs = %q : tensor<48x32xf32>, %ks = %k : tensor<40x32xf32>, %vs = %v : tensor<40x48xf32>) -> tensor<48x48xf32> {
    %zero = arith.constant 0.0 : f32
    %share = arith.constant 0.025 : f32
    %0 = tkernel.load %qs[%i, %d] : tensor<48x32xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<40x32xf32>
    %s = tkernel.contract %0, %1 over (%d) : f32
    %r = arith.maximumf %s, %zero : f32
    %p = arith.mulf %r, %r : f32
    %w = arith.mulf %p, %share : f32
    %3 = tkernel.load %vs[%j, %e] : tensor<40x48xf32>
    %o = tkernel.contract %w, %3 over (%j) : f32
    tkernel.store %o, 0[%i, %e] : f32
  }
  return %y, %u, %z : tensor<48x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>
}
