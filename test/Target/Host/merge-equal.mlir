// What is equal is computed once, and read once where nothing is written in between.
// RUN: tensor-opt %s --host-merge-equal | FileCheck %s
// As upstream's cse has it:
// RUN: tensor-opt %s --cse | FileCheck %s

// CHECK-LABEL: func.func @computes(
// CHECK: arith.addf
// CHECK-NEXT: vector.store
// CHECK-NEXT: vector.store
// CHECK-NEXT: return
func.func @computes(%to: memref<32xf32>, %x: vector<16xf32>, %y: vector<16xf32>, %i: index, %j: index) {
  %a = arith.addf %x, %y : vector<16xf32>
  %b = arith.addf %x, %y : vector<16xf32>
  %unread = arith.mulf %x, %y : vector<16xf32>
  vector.store %a, %to[%i] : memref<32xf32>, vector<16xf32>
  vector.store %b, %to[%j] : memref<32xf32>, vector<16xf32>
  return
}

// The third read is behind a store.
// CHECK-LABEL: func.func @reads(
// CHECK: %[[FIRST:.*]] = vector.load
// CHECK-NEXT: arith.addf %[[FIRST]], %[[FIRST]]
// CHECK-NEXT: vector.store
// CHECK-NEXT: %[[THIRD:.*]] = vector.load
// CHECK-NEXT: vector.store %[[THIRD]]
func.func @reads(%from: memref<32xf32>, %to: memref<32xf32>, %i: index) {
  %a = vector.load %from[%i] : memref<32xf32>, vector<16xf32>
  %b = vector.load %from[%i] : memref<32xf32>, vector<16xf32>
  %sum = arith.addf %a, %b : vector<16xf32>
  vector.store %sum, %to[%i] : memref<32xf32>, vector<16xf32>
  %c = vector.load %from[%i] : memref<32xf32>, vector<16xf32>
  vector.store %c, %to[%i] : memref<32xf32>, vector<16xf32>
  return
}

// What is computed outside of a loop serves inside, what is read there does not; and a loop that
// writes lies between reads.
// CHECK-LABEL: func.func @loops(
// CHECK: %[[OUTSIDE:.*]] = arith.addi
// CHECK-NEXT: %[[READ:.*]] = vector.load
// CHECK-NEXT: scf.for
// CHECK-NEXT: %[[INSIDE:.*]] = vector.load %{{.*}}[%[[OUTSIDE]]]
// CHECK-NEXT: vector.store %[[INSIDE]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[AGAIN:.*]] = vector.load
// CHECK-NEXT: arith.addf %[[READ]], %[[AGAIN]]
func.func @loops(%from: memref<?xf32>, %to: memref<?xf32>, %i: index, %n: index) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %place = arith.addi %i, %n : index
  %a = vector.load %from[%place] : memref<?xf32>, vector<16xf32>
  scf.for %k = %c0 to %n step %c1 {
    %same = arith.addi %i, %n : index
    %b = vector.load %from[%same] : memref<?xf32>, vector<16xf32>
    vector.store %b, %to[%k] : memref<?xf32>, vector<16xf32>
  }
  %c = vector.load %from[%place] : memref<?xf32>, vector<16xf32>
  %sum = arith.addf %a, %c : vector<16xf32>
  return %sum : vector<16xf32>
}

// Loops are compared with what they hold; one that only reads is no write.
// CHECK-LABEL: func.func @readsInLoop(
// CHECK: %[[READ:.*]] = vector.load
// CHECK-NEXT: scf.for
// CHECK: }
// CHECK-NEXT: arith.addf %[[READ]], %[[READ]]
func.func @readsInLoop(%from: memref<?xf32>, %i: index, %n: index) -> (vector<16xf32>, vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = vector.load %from[%i] : memref<?xf32>, vector<16xf32>
  %total = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %a) -> vector<16xf32> {
    %b = vector.load %from[%k] : memref<?xf32>, vector<16xf32>
    %next = arith.addf %sum, %b : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  %c = vector.load %from[%i] : memref<?xf32>, vector<16xf32>
  %twice = arith.addf %a, %c : vector<16xf32>
  return %total, %twice : vector<16xf32>, vector<16xf32>
}

// A call may write.
// CHECK-LABEL: func.func @calls(
// CHECK: vector.load
// CHECK-NEXT: call
// CHECK-NEXT: vector.load
func.func @calls(%from: memref<32xf32>, %i: index) -> (vector<16xf32>, vector<16xf32>) {
  %a = vector.load %from[%i] : memref<32xf32>, vector<16xf32>
  call @f() : () -> ()
  %b = vector.load %from[%i] : memref<32xf32>, vector<16xf32>
  return %a, %b : vector<16xf32>, vector<16xf32>
}
func.func private @f()
