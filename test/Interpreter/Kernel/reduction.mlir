// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile --interpret -o /dev/null | FileCheck %s

func.func @main() -> (tensor<f32>, tensor<2xi32>, tensor<2xf32>, tensor<2xi64>, tensor<2x3xf32>, tensor<3x40xi32>, tensor<i64>, tensor<2xf32>) {
  // Few results: the sum runs along the lanes, 1 + 2 + ... + 5000.
  // CHECK: result 0 : tensor<f32> = 1.25e+07
  %sum = tkernel.kernel (%i : 5000) reads() -> tensor<f32> {
    %one = arith.constant 1 : i64
    %p = arith.index_cast %i : index to i64
    %q = arith.addi %p, %one : i64
    %v = arith.sitofp %q : i64 to f32
    %s = tkernel.reduce addf %v over (%i) : f32
    tkernel.store %s, 0[] : f32
  }
  %x = tgraph.constant dense<[[1.0, 5.0, 3.0], [7.0, -2.0, 7.0]]> : tensor<2x3xf32>
  // A value without the reduced axis counts once for each point of that axis.
  // CHECK: result 1 : tensor<2xi32> = 0 3
  %times = tkernel.kernel (%i : 2, %j : 3) reads() -> tensor<2xi32> {
    %v = arith.index_cast %i : index to i32
    %s = tkernel.reduce addi %v over (%j) : i32
    tkernel.store %s, 0[%i] : i32
  }
  // Two values through a region.
  // CHECK: result 2 : tensor<2xf32> = 5 7
  // CHECK: result 3 : tensor<2xi64> = 1 0
  %max:2 = tkernel.kernel (%i : 2, %j : 3) reads(%a = %x : tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>) {
    %v = tkernel.load %a[%i, %j] : tensor<2x3xf32>
    %p = arith.index_cast %j : index to i64
    %m:2 = tkernel.reduce %v, %p over (%j) identities [0xFF800000 : f32, 9223372036854775807 : i64] : f32, i64 {
    ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
      %gt = arith.cmpf ogt, %v0, %a0 : f32
      %eq = arith.cmpf oeq, %v0, %a0 : f32
      %less = arith.cmpi slt, %v1, %a1 : i64
      %tie = arith.andi %eq, %less : i1
      %c = arith.ori %gt, %tie : i1
      %r0 = arith.select %c, %v0, %a0 : f32
      %r1 = arith.select %c, %v1, %a1 : i64
      tkernel.yield %r0, %r1 : f32, i64
    }
    tkernel.store %m#0, 0[%i] : f32
    tkernel.store %m#1, 1[%i] : i64
  }
  // One reduction after another: softmax.
  // CHECK: result 4 : tensor<2x3xf32> = 0.01588 0.8668 0.1173 0.5 6.17e-05 0.5
  %softmax = tkernel.kernel (%i : 2, %j : 3) reads(%a = %x : tensor<2x3xf32>) -> tensor<2x3xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<2x3xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  // A scan over the first axis, lanes along the second.
  // CHECK: result 5 : tensor<3x40xi32> = 3 3 3 3 3 3 3 3 ... weighted sum 7300
  %scan = tkernel.kernel (%i : 3, %j : 40) reads() -> tensor<3x40xi32> {
    %v = arith.index_cast %i : index to i32
    %s = tkernel.scan addi %v over %i exclusive reverse : i32
    tkernel.store %s, 0[%i, %j] : i32
  }
  // A dot product of integers wraps: the sum of i * i up to 3999, times 2^40.
  // CHECK: result 6 : tensor<i64> = 1640981522037080064
  %dot = tkernel.kernel (%i : 4000) reads() -> tensor<i64> {
    %shift = arith.constant 20 : i64
    %p = arith.index_cast %i : index to i64
    %v = arith.shli %p, %shift : i64
    %s = tkernel.contract %v, %v over (%i) : i64
    tkernel.store %s, 0[] : i64
  }
  // Over no point, the identity.
  %none = tgraph.constant dense<> : tensor<2x0xf32>
  // CHECK: result 7 : tensor<2xf32> = -inf -inf
  %empty = tkernel.kernel (%i : 2, %j : 0) reads(%a = %none : tensor<2x0xf32>) -> tensor<2xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<2x0xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    tkernel.store %m, 0[%i] : f32
  }
  return %sum, %times, %max#0, %max#1, %softmax, %scan, %dot, %empty
      : tensor<f32>, tensor<2xi32>, tensor<2xf32>, tensor<2xi64>, tensor<2x3xf32>, tensor<3x40xi32>, tensor<i64>, tensor<2xf32>
}
