// RUN: tensor-opt %s --kernel-to-launch --kernel-to-tile --canonicalize --cse --split-input-file | FileCheck %s

// `keep e result`: the second stage stores the exponentials into the result, the third reads them back.
// CHECK-LABEL: ttile.func @softmax
// CHECK-SAME: results(%[[Y:.*]]: memref<4x96xf32>)
// CHECK:   scf.for
// CHECK:   ttile.reduce maximumf
// CHECK:   scf.for
// CHECK:     %[[E:.*]] = math.exp
// CHECK:     ttile.store %[[E]], %[[Y]]
// CHECK:   ttile.reduce addf
// CHECK:   scf.for
// CHECK-NOT: math.exp
// CHECK:     %[[K:.*]] = ttile.load %[[Y]]
// CHECK:     arith.divf %[[K]]
func.func @main(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %y = tkernel.kernel @softmax (%i : 4, %j : 96) reads(%a = %x : tensor<4x96xf32>) -> tensor<4x96xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], split j = [jo, jt 32], order [jo], tile [jt], keep e result]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x96xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<4x96xf32>
}

// -----

// The whole row as one tile: nothing is computed twice and no loop is left.
// CHECK-LABEL: ttile.func @softmax
// CHECK-NOT: scf.for
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: ttile.return
func.func @main(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %y = tkernel.kernel @softmax (%i : 4, %j : 96) reads(%a = %x : tensor<4x96xf32>) -> tensor<4x96xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j], keep e register]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x96xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<4x96xf32>
}

// -----

// A scan is a loop that carries its running value.
// CHECK-LABEL: ttile.func @cumsum
// CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}) -> (tensor<4xf32>)
// CHECK:   %[[N:.*]] = arith.addf %[[C]]
// CHECK:   ttile.store %[[N]]
// CHECK:   scf.yield %[[N]]
func.func @main(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %y = tkernel.kernel @cumsum (%i : 4, %j : 96) reads(%a = %x : tensor<4x96xf32>) -> tensor<4x96xf32>
      attributes {schedule = #tkernel.schedule<[tile [i]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x96xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4x96xf32>
}
