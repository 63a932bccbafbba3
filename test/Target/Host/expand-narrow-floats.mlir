// What dot instructions leave is never denormal: the instruction that takes denormals as 0 converts it.
// RUN: tensor-opt %s --expand-narrow-floats | FileCheck %s

// CHECK-LABEL: func.func @dot
// CHECK: %[[SUM:.*]] = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK-NEXT: %[[NARROW:.*]] = llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.512"(%[[SUM]]) : (vector<16xf32>) -> vector<16xbf16>
// CHECK-NEXT: %[[BITS:.*]] = arith.bitcast %[[NARROW]] : vector<16xbf16> to vector<16xi16>
// CHECK-NEXT: vector.store %[[BITS]]
func.func @dot(%a: vector<32xbf16>, %b: vector<32xbf16>, %sum: vector<16xf32>, %y: memref<32xbf16>) {
  %c0 = arith.constant 0 : index
  %0 = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%sum, %a, %b) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
  %1 = arith.truncf %0 : vector<16xf32> to vector<16xbf16>
  vector.store %1, %y[%c0] : memref<32xbf16>, vector<16xbf16>
  return
}

// Sums that a loop carries from zero, and those of a branch.
// CHECK-LABEL: func.func @carried
// CHECK-COUNT-2: cvtneps2bf16.256
func.func @carried(%a: vector<16xbf16>, %n: index, %some: i1, %y: memref<32xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %loop = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> vector<8xf32> {
    %0 = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.256"(%sum, %a, %a) : (vector<8xf32>, vector<16xbf16>, vector<16xbf16>) -> vector<8xf32>
    scf.yield %0 : vector<8xf32>
  }
  %branch = scf.if %some -> vector<8xf32> {
    scf.yield %loop : vector<8xf32>
  } else {
    scf.yield %zero : vector<8xf32>
  }
  %0 = arith.truncf %loop : vector<8xf32> to vector<8xbf16>
  %1 = arith.truncf %branch : vector<8xf32> to vector<8xbf16>
  vector.store %0, %y[%c0] : memref<32xbf16>, vector<8xbf16>
  vector.store %1, %y[%c8] : memref<32xbf16>, vector<8xbf16>
  return
}

// A loop that may run not once leaves what it began with, a branch either side, an addition anything.
// CHECK-LABEL: func.func @denormal
// CHECK-NOT: cvtneps2bf16
// CHECK: return
func.func @denormal(%a: vector<16xbf16>, %n: index, %some: i1, %first: vector<8xf32>, %y: memref<32xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %loop = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %first) -> vector<8xf32> {
    %0 = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.256"(%sum, %a, %a) : (vector<8xf32>, vector<16xbf16>, vector<16xbf16>) -> vector<8xf32>
    scf.yield %0 : vector<8xf32>
  }
  %dot = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.256"(%loop, %a, %a) : (vector<8xf32>, vector<16xbf16>, vector<16xbf16>) -> vector<8xf32>
  %branch = scf.if %some -> vector<8xf32> {
    scf.yield %dot : vector<8xf32>
  } else {
    scf.yield %first : vector<8xf32>
  }
  %added = arith.addf %dot, %first : vector<8xf32>
  %0 = arith.truncf %loop : vector<8xf32> to vector<8xbf16>
  %1 = arith.truncf %branch : vector<8xf32> to vector<8xbf16>
  %2 = arith.truncf %added : vector<8xf32> to vector<8xbf16>
  vector.store %0, %y[%c0] : memref<32xbf16>, vector<8xbf16>
  vector.store %1, %y[%c8] : memref<32xbf16>, vector<8xbf16>
  vector.store %2, %y[%c16] : memref<32xbf16>, vector<8xbf16>
  return
}

// What is read from memory that holds sums of a matrix unit alone, through views of it; other memory may hold anything.
// CHECK-LABEL: func.func @memory
// CHECK-COUNT-1: cvtneps2bf16.512
// CHECK-NOT: cvtneps2bf16
// CHECK: return
func.func @memory(%all: memref<2048xi8>, %y: memref<32xbf16>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c1024 = arith.constant 1024 : index
  %sums = memref.view %all[%c0][] {host.sums = "avx512bf16"} : memref<2048xi8> to memref<16xf32>
  %others = memref.view %all[%c1024][] : memref<2048xi8> to memref<16xf32>
  %0 = vector.load %sums[%c0] : memref<16xf32>, vector<16xf32>
  %1 = vector.load %others[%c0] : memref<16xf32>, vector<16xf32>
  %2 = arith.truncf %0 : vector<16xf32> to vector<16xbf16>
  %3 = arith.truncf %1 : vector<16xf32> to vector<16xbf16>
  vector.store %2, %y[%c0] : memref<32xbf16>, vector<16xbf16>
  vector.store %3, %y[%c16] : memref<32xbf16>, vector<16xbf16>
  return
}
