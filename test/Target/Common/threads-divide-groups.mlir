// RUN: tensor-opt %s --pass-pipeline='builtin.module(gpu.module(threads-divide-groups))' | FileCheck %s

module attributes {gpu.container_module} {
gpu.module @kernels {
  // Threads that do nothing together: their number is counted over the groups of a program.
  // CHECK-LABEL: gpu.func @independent
  // CHECK-SAME: tw.divisible
  // CHECK: %[[THREAD:.*]] = gpu.thread_id x
  // CHECK-NEXT: %[[PART:.*]] = gpu.block_id z
  // CHECK-NEXT: %[[SIZE:.*]] = gpu.block_dim x
  // CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[PART]], %[[SIZE]] : index
  // CHECK-NEXT: %[[AT:.*]] = arith.addi %[[FIRST]], %[[THREAD]] : index
  // CHECK: memref.store %{{.*}}, %{{.*}}[%[[AT]]]
  gpu.func @independent(%y: memref<64xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.programs = 70000 : i64} {
    %t = gpu.thread_id x
    %x = gpu.block_id x
    %row = gpu.block_id y
    %width = gpu.grid_dim x
    %f = arith.constant 1.0 : f32
    memref.store %f, %y[%t] : memref<64xf32, #gpu.address_space<global>>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @lone
  // CHECK-NOT: tw.divisible
  // CHECK-NOT: gpu.block_id z
  gpu.func @lone(%y: memref<64xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 1, 1, 1>, tw.programs = 64 : i64} {
    %t = gpu.thread_id x
    gpu.return
  }

  // CHECK-LABEL: gpu.func @local
  // CHECK-NOT: tw.divisible
  // CHECK-NOT: gpu.block_id z
  gpu.func @local(%y: memref<64xf32, #gpu.address_space<global>>)
      workgroup(%s : memref<64xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    gpu.return
  }

  // CHECK-LABEL: gpu.func @barrier
  // CHECK-NOT: tw.divisible
  // CHECK-NOT: gpu.block_id z
  gpu.func @barrier(%y: memref<64xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    gpu.barrier
    gpu.return
  }

  // CHECK-LABEL: gpu.func @shuffle
  // CHECK-NOT: tw.divisible
  // CHECK-NOT: gpu.block_id z
  gpu.func @shuffle(%y: memref<64xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %other, %valid = gpu.shuffle xor %i, %c1, %c32 : i32
    gpu.return
  }

  // Whoever asks how threads are grouped is told the truth.
  // CHECK-LABEL: gpu.func @asks
  // CHECK-NOT: tw.divisible
  // CHECK-NOT: gpu.block_id z
  gpu.func @asks(%y: memref<64xindex, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %size = gpu.block_dim x
    memref.store %size, %y[%t] : memref<64xindex, #gpu.address_space<global>>
    gpu.return
  }
}
}
