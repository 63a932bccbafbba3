// Positions that reductions carry along are numbers of 32 bits on the host, if they are only compared with each other and
// selected; the results are what they are with 64.
// RUN: tensor-opt %s --pass-pipeline='builtin.module(kernel-schedule{machine=host})' | FileCheck %s
// RUN: tensor-run %s --function=main --compare=interpreter --target=host:x86-64-v3 --no-cache --quiet
// RUN: tensor-run %s --function=main --compare=interpreter --no-cache --quiet

// The first row has nothing but NaN, so its position stays the identity; the second one infinities alone.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = arith.index_cast %j : index to i32
// CHECK: %[[M:.*]]:2 = tkernel.reduce %{{.*}}, %[[P]] over (%j) identities [0xFF800000 : f32, 2147483647 : i32] : f32, i32
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
// CHECK: tkernel.yield %{{.*}}, %{{.*}} : f32, i32
// CHECK: %[[W:.*]] = arith.extsi %[[M]]#1 : i32 to i64
// CHECK: %[[NONE:.*]] = arith.cmpi eq, %[[M]]#1, %c2147483647_i32
// CHECK: %[[R:.*]] = arith.select %[[NONE]], %c9223372036854775807_i64, %[[W]] : i64
// CHECK: tkernel.store %[[R]], 0[%i] : i64
func.func @main(%x: tensor<9x333xf32> {tgraph.name = "x"}) -> (tensor<9xi64> {tgraph.name = "y"}) {
  %y = tkernel.kernel @argmax (%i : 9, %j : 333) reads(%a = %x : tensor<9x333xf32>) -> tensor<9xi64> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %nan = arith.constant 0x7FC00000 : f32
    %infinity = arith.constant 0xFF800000 : f32
    %l = tkernel.load %a[%i, %j] : tensor<9x333xf32>
    %row = arith.index_cast %i : index to i32
    %isFirst = arith.cmpi eq, %row, %zero : i32
    %isSecond = arith.cmpi eq, %row, %one : i32
    %k = arith.select %isFirst, %nan, %l : f32
    %v = arith.select %isSecond, %infinity, %k : f32
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

// What is computed with is no position.
// CHECK-LABEL: func.func @sum
// CHECK: arith.index_cast %j : index to i64
// CHECK: identities [0, 0] : i64, i64
func.func @sum(%x: tensor<9x333xi64>) -> tensor<9xi64> {
  %y = tkernel.kernel @sum (%i : 9, %j : 333) reads(%a = %x : tensor<9x333xi64>) -> tensor<9xi64> {
    %l = tkernel.load %a[%i, %j] : tensor<9x333xi64>
    %p = arith.index_cast %j : index to i64
    %m:2 = tkernel.reduce %l, %p over (%j) identities [0 : i64, 0 : i64] : i64, i64 {
    ^bb0(%a0: i64, %a1: i64, %v0: i64, %v1: i64):
      %r0 = arith.addi %a0, %v0 : i64
      %r1 = arith.addi %a1, %v1 : i64
      tkernel.yield %r0, %r1 : i64, i64
    }
    tkernel.store %m#1, 0[%i] : i64
  }
  return %y : tensor<9xi64>
}

// Nor is what is compared as a number without a sign.
// CHECK-LABEL: func.func @unsigned
// CHECK: arith.index_cast %j : index to i64
// CHECK: identities [0xFF800000 : f32, 9223372036854775807] : f32, i64
func.func @unsigned(%x: tensor<9x333xf32>) -> tensor<9xi64> {
  %y = tkernel.kernel @unsigned (%i : 9, %j : 333) reads(%a = %x : tensor<9x333xf32>) -> tensor<9xi64> {
    %v = tkernel.load %a[%i, %j] : tensor<9x333xf32>
    %p = arith.index_cast %j : index to i64
    %m:2 = tkernel.reduce %v, %p over (%j) identities [0xFF800000 : f32, 9223372036854775807 : i64] : f32, i64 {
    ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
      %more = arith.cmpf ogt, %v0, %a0 : f32
      %same = arith.cmpf oeq, %v0, %a0 : f32
      %before = arith.cmpi ult, %v1, %a1 : i64
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

// What is reduced alone may be kept in a result of its type.
// CHECK-LABEL: func.func @alone
// CHECK: arith.index_cast %j : index to i64
// CHECK: identities [-1] : i64
func.func @alone(%x: tensor<9x333xf32>) -> tensor<9xi64> {
  %y = tkernel.kernel @alone (%i : 9, %j : 333) reads(%a = %x : tensor<9x333xf32>) -> tensor<9xi64> {
    %p = arith.index_cast %j : index to i64
    %m = tkernel.reduce %p over (%j) identities [-1 : i64] : i64 {
    ^bb0(%a0: i64, %v0: i64):
      %more = arith.cmpi sgt, %v0, %a0 : i64
      %r0 = arith.select %more, %v0, %a0 : i64
      tkernel.yield %r0 : i64
    }
    tkernel.store %m, 0[%i] : i64
  }
  return %y : tensor<9xi64>
}
