// RUN: tensor-opt %s --pass-pipeline="builtin.module(gpu.module(threads-split-shifts))" | FileCheck %s

module attributes {gpu.container_module} {
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @known(
  // CHECK: %[[X:.*]] = arith.extui
  // CHECK: %[[C31:.*]] = arith.constant 31 : i64
  // CHECK: %[[A:.*]] = arith.shrui %[[X]], %[[C31]] : i64
  // CHECK: %[[C9:.*]] = arith.constant 9 : i64
  // CHECK: arith.shrui %[[A]], %[[C9]] : i64
  // CHECK: %[[B:.*]] = arith.shrsi %[[X]], %{{.*}} : i64
  // CHECK: %[[C:.*]] = arith.shrsi %[[B]], %{{.*}} : i64
  // CHECK: %[[C1:.*]] = arith.constant 1 : i64
  // CHECK: arith.shrsi %[[C]], %[[C1]] : i64
  // CHECK: arith.shli %[[X]], %{{.*}} : i64
  gpu.func @known(%p: memref<8xi64>, %q: memref<8xi32>) kernel {
    %c40 = arith.constant 40 : i64
    %c63 = arith.constant 63 : i64
    %c31 = arith.constant 31 : i64
    %i = gpu.thread_id x upper_bound 8
    %w = memref.load %q[%i] : memref<8xi32>
    %x = arith.extui %w : i32 to i64
    %a = arith.shrui %x, %c40 : i64
    %b = arith.shrsi %x, %c63 : i64
    %c = arith.shli %x, %c31 : i64
    memref.store %a, %p[%i] : memref<8xi64>
    memref.store %b, %p[%i] : memref<8xi64>
    memref.store %c, %p[%i] : memref<8xi64>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @unknown(
  // CHECK: %[[X:.*]] = memref.load
  // CHECK: %[[S:.*]] = memref.load
  // CHECK: %[[A0:.*]] = arith.minui %[[S]], %{{.*}} : i64
  // CHECK: %[[L0:.*]] = arith.subi %[[S]], %[[A0]] : i64
  // CHECK: %[[R0:.*]] = arith.shrui %[[X]], %[[A0]] : i64
  // CHECK: %[[A1:.*]] = arith.minui %[[L0]], %{{.*}} : i64
  // CHECK: %[[L1:.*]] = arith.subi %[[L0]], %[[A1]] : i64
  // CHECK: %[[R1:.*]] = arith.shrui %[[R0]], %[[A1]] : i64
  // CHECK: arith.shrui %[[R1]], %[[L1]] : i64
  gpu.func @unknown(%p: memref<8xi64>) kernel {
    %i = gpu.thread_id x upper_bound 8
    %c0 = arith.constant 0 : index
    %x = memref.load %p[%i] : memref<8xi64>
    %s = memref.load %p[%c0] : memref<8xi64>
    %a = arith.shrui %x, %s : i64
    memref.store %a, %p[%i] : memref<8xi64>
    gpu.return
  }

  // Narrower integers shift as they are.
  // CHECK-LABEL: gpu.func @narrow(
  // CHECK: arith.shrui
  // CHECK-NOT: arith.shrui
  gpu.func @narrow(%p: memref<8xi32>) kernel {
    %i = gpu.thread_id x upper_bound 8
    %x = memref.load %p[%i] : memref<8xi32>
    %a = arith.shrui %x, %x : i32
    memref.store %a, %p[%i] : memref<8xi32>
    gpu.return
  }
}
}
