// Along an axis whose positions take all of 32 bits, or more, none is left for an identity: they stay numbers of 64.
// RUN: tensor-opt %s --kernel-schedule | FileCheck %s

// CHECK-LABEL: func.func @short
// CHECK: arith.index_cast %j : index to i32
func.func @short(%x: tensor<9x2147483646xf32>) -> tensor<9xi64> {
  %y = tkernel.kernel @short (%i : 9, %j : 2147483646) reads(%a = %x : tensor<9x2147483646xf32>) -> tensor<9xi64> {
    %v = tkernel.load %a[%i, %j] : tensor<9x2147483646xf32>
    %p = arith.index_cast %j : index to i64
    %m:2 = tkernel.reduce %v, %p over (%j) identities [0xFF800000 : f32, 9223372036854775807 : i64] : f32, i64 {
    ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
      %more = arith.cmpf ogt, %v0, %a0 : f32
      %same = arith.cmpf oeq, %v0, %a0 : f32
      %before = arith.cmpi slt, %v1, %a1 : i64
      %first = arith.andi %same, %before : i1
      %take = arith.ori %more, %first : i1
      %r0 = arith.select %take, %v0, %a0 : f32
      %r1 = arith.select %take, %v1, %a1 : i64
      tkernel.yield %r0, %r1 : f32, i64
    }
    tkernel.store %m#1, 0[%i] : i64
  }
  return %y : tensor<9xi64>
}

// CHECK-LABEL: func.func @long
// CHECK: arith.index_cast %j : index to i64
func.func @long(%x: tensor<9x2147483647xf32>) -> tensor<9xi64> {
  %y = tkernel.kernel @long (%i : 9, %j : 2147483647) reads(%a = %x : tensor<9x2147483647xf32>) -> tensor<9xi64> {
    %v = tkernel.load %a[%i, %j] : tensor<9x2147483647xf32>
    %p = arith.index_cast %j : index to i64
    %m:2 = tkernel.reduce %v, %p over (%j) identities [0xFF800000 : f32, 9223372036854775807 : i64] : f32, i64 {
    ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
      %more = arith.cmpf ogt, %v0, %a0 : f32
      %same = arith.cmpf oeq, %v0, %a0 : f32
      %before = arith.cmpi slt, %v1, %a1 : i64
      %first = arith.andi %same, %before : i1
      %take = arith.ori %more, %first : i1
      %r0 = arith.select %take, %v0, %a0 : f32
      %r1 = arith.select %take, %v1, %a1 : i64
      tkernel.yield %r0, %r1 : f32, i64
    }
    tkernel.store %m#1, 0[%i] : i64
  }
  return %y : tensor<9xi64>
}
