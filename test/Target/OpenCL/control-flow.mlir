// RUN: tensor-translate %s --emit=opencl-c | FileCheck %s
// Loops, branches, and what they carry.

!global = memref<64xf32, #gpu.address_space<global>>
module attributes {gpu.container_module} {
gpu.module @kernels {
  // CHECK-LABEL: void k_sum(
  // CHECK: float sum = 0.0f;
  // CHECK: for (ulong i = 0; i < 8; i += 1) {
  // CHECK:   for (ulong j = 0; j < 4; j += 1) {
  // CHECK-NEXT: const float in0_1 = in0[i * 4 + j];
  // CHECK-NEXT: sum = sum + in0_1;
  // CHECK-NEXT: }
  // CHECK-NEXT: }
  // CHECK-NEXT: out0[thread] = sum;
  gpu.func @sum(%x: !global, %y: !global) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tw.programs = 2 : i64, tw.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %zero) -> (f32) {
      %s = scf.for %j = %c0 to %c4 step %c1 iter_args(%b = %a) -> (f32) {
        %k = arith.muli %i, %c4 : index
        %l = arith.addi %k, %j : index
        %v = memref.load %x[%l] : !global
        %n = arith.addf %b, %v : f32
        scf.yield %n : f32
      }
      scf.yield %s : f32
    }
    memref.store %r, %y[%t] : !global
    gpu.return
  }

  // Both carried values change at once.
  // CHECK-LABEL: void k_fibonacci(
  // CHECK: ulong carried = 0;
  // CHECK: ulong carried1 = 1;
  // CHECK: for (ulong i = 0; (long)i < (long)thread; i += 1) {
  // CHECK-NEXT: const ulong next = carried + carried1;
  // CHECK-NEXT: carried = carried1;
  // CHECK-NEXT: carried1 = next;
  // CHECK-NEXT: }
  gpu.func @fibonacci(%y: memref<64xi64, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %z = arith.constant 0 : i64
    %o = arith.constant 1 : i64
    %r:2 = scf.for %i = %c0 to %t step %c1 iter_args(%a = %z, %b = %o) -> (i64, i64) {
      %n = arith.addi %a, %b : i64
      scf.yield %b, %n : i64, i64
    }
    memref.store %r#0, %y[%t] : memref<64xi64, #gpu.address_space<global>>
    gpu.return
  }

  // CHECK-LABEL: void k_branch(
  // CHECK: float x;
  // CHECK-NEXT: if (thread < 10) {
  // CHECK-NEXT: const float in0_1 = in0[thread];
  // CHECK-NEXT: x = -in0_1;
  // CHECK-NEXT: } else {
  // CHECK-NEXT: x = 1.0f;
  // CHECK-NEXT: }
  // CHECK-NEXT: if (thread != 3) {
  // CHECK-NEXT: out0[thread] = x;
  // CHECK-NEXT: }
  gpu.func @branch(%x: !global, %y: !global) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.num_outputs = 1 : i64} {
    %c3 = arith.constant 3 : index
    %c10 = arith.constant 10 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %in = arith.cmpi ult, %t, %c10 : index
    %v = scf.if %in -> (f32) {
      %a = memref.load %x[%t] : !global
      %n = arith.negf %a : f32
      scf.yield %n : f32
    } else {
      scf.yield %one : f32
    }
    %not = arith.cmpi ne, %t, %c3 : index
    scf.if %not {
      memref.store %v, %y[%t] : !global
    }
    gpu.return
  }

  // CHECK-LABEL: void k_collatz(
  // CHECK: ulong carried = thread;
  // CHECK: ulong carried1 = 0;
  // CHECK: ulong n;
  // CHECK: ulong n1;
  // CHECK: for (;;) {
  // CHECK-NEXT: const bool again = carried > 1;
  // CHECK-NEXT: n = carried;
  // CHECK-NEXT: n1 = carried1;
  // CHECK-NEXT: if (!again)
  // CHECK-NEXT: break;
  // CHECK: carried = (n & 1) == 0 ? n / 2 : n * 3 + 1;
  // CHECK-NEXT: carried1 = n1 + 1;
  // CHECK-NEXT: }
  // CHECK-NEXT: out0[thread] = n1;
  gpu.func @collatz(%y: memref<64xi64, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.num_outputs = 1 : i64} {
    %t = gpu.thread_id x
    %z = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %two = arith.constant 2 : i64
    %three = arith.constant 3 : i64
    %n = arith.index_cast %t : index to i64
    %r:2 = scf.while (%a = %n, %s = %z) : (i64, i64) -> (i64, i64) {
      %go = arith.cmpi ugt, %a, %one : i64
      scf.condition(%go) %a, %s : i64, i64
    } do {
    ^bb0(%b: i64, %s: i64):
      %bit = arith.andi %b, %one : i64
      %even = arith.cmpi eq, %bit, %z : i64
      %half = arith.divui %b, %two : i64
      %triple = arith.muli %b, %three : i64
      %odd = arith.addi %triple, %one : i64
      %next = arith.select %even, %half, %odd : i64
      %count = arith.addi %s, %one : i64
      scf.yield %next, %count : i64, i64
    }
    memref.store %r#1, %y[%t] : memref<64xi64, #gpu.address_space<global>>
    gpu.return
  }
}
}
