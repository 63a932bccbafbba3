// RUN: tensor-opt %s --view-to-kernel | FileCheck %s

// CHECK-LABEL: func.func @max_pool
// CHECK: tkernel.kernel @window (%n : 1, %c : 4, %p : 3, %q : 3, %r : 3, %s : 3)
// CHECK: %[[V:.*]] = tkernel.load %{{.*}}[0, %c, %p * 2 + %r - 1, %q * 2 + %s - 1] else 0xFF800000 : tensor<1x4x5x5xf32>
// CHECK: tkernel.reduce maximumf %[[V]] over (%r, %s) : f32
func.func @max_pool(%x: tensor<1x4x5x5xf32>) -> tensor<1x4x3x3xf32> {
  %r = tgraph.window max %x window [1, 1, 3, 3] strides [1, 1, 2, 2] dilations [1, 1, 1, 1]
      pad_low [0, 0, 1, 1] pad_high [0, 0, 1, 1] : tensor<1x4x5x5xf32> -> tensor<1x4x3x3xf32>
  return %r : tensor<1x4x3x3xf32>
}

// CHECK-LABEL: func.func @reduce
// CHECK: tkernel.kernel @reduce (%j : 3, %i : 2, %k : 4)
// CHECK: %[[V:.*]] = tkernel.load %{{.*}}[%i, %j, %k] : tensor<2x3x4xui8>
// CHECK: %[[R:.*]] = tkernel.reduce maxu %[[V]] over (%i, %k) : i8
// CHECK: tkernel.store %[[R]], 0[%j] : i8
// CHECK: tkernel.reduce andi
func.func @reduce(%x: tensor<2x3x4xui8>, %y: tensor<3xi1>) -> (tensor<3xui8>, tensor<i1>) {
  %r = tgraph.reduce max %x dims [0, 2] : tensor<2x3x4xui8> -> tensor<3xui8>
  %s = tgraph.reduce all %y dims [0] : tensor<3xi1> -> tensor<i1>
  return %r, %s : tensor<3xui8>, tensor<i1>
}

// NaN wins, then the value, then the earlier index.
// CHECK-LABEL: func.func @arg_max
// CHECK: %[[V:.*]] = tkernel.load
// CHECK: %[[I:.*]] = arith.index_cast %j : index to i64
// CHECK: %[[R:.*]]:2 = tkernel.reduce %[[V]], %[[I]] over (%j) identities [0xFF800000 : f32, 9223372036854775807] : f32, i64
// CHECK: ^bb0(%[[A:.*]]: f32, %[[IA:.*]]: i64, %[[B:.*]]: f32, %[[IB:.*]]: i64):
// CHECK-DAG: %[[ANAN:.*]] = arith.cmpf uno, %[[A]], %[[A]] : f32
// CHECK-DAG: %[[BNAN:.*]] = arith.cmpf uno, %[[B]], %[[B]] : f32
// CHECK-DAG: %[[MORE:.*]] = arith.cmpf ogt, %[[B]], %[[A]] : f32
// CHECK-DAG: %[[ANUM:.*]] = arith.cmpf ord, %[[A]], %[[A]] : f32
// CHECK: %[[NEW:.*]] = arith.andi %[[BNAN]], %[[ANUM]] : i1
// CHECK: %[[BETTER:.*]] = arith.ori %[[MORE]], %[[NEW]] : i1
// CHECK: %[[EQ:.*]] = arith.cmpf oeq, %[[A]], %[[B]] : f32
// CHECK: %[[NANS:.*]] = arith.andi %[[ANAN]], %[[BNAN]] : i1
// CHECK: %[[TIE:.*]] = arith.ori %[[EQ]], %[[NANS]] : i1
// CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[IB]], %[[IA]] : i64
// CHECK: %[[WINS:.*]] = arith.andi %[[TIE]], %[[LESS]] : i1
// CHECK: %[[TAKE:.*]] = arith.ori %[[BETTER]], %[[WINS]] : i1
// CHECK: arith.select %[[TAKE]], %[[B]], %[[A]] : f32
// CHECK: arith.select %[[TAKE]], %[[IB]], %[[IA]] : i64
// CHECK: tkernel.store %[[R]]#1, 0[%i] : i64
func.func @arg_max(%x: tensor<2x3xf32>) -> tensor<2xi64> {
  %r = tgraph.arg_reduce max %x dim 1 : tensor<2x3xf32> -> tensor<2xi64>
  return %r : tensor<2xi64>
}

// CHECK-LABEL: func.func @arg_min
// CHECK: tkernel.reduce %{{.*}} over (%i) identities [-1 : i8, 9223372036854775807] : i8, i64
// CHECK: arith.cmpi ult
func.func @arg_min(%x: tensor<3x2xui8>) -> tensor<2xi64> {
  %r = tgraph.arg_reduce min %x dim 0 : tensor<3x2xui8> -> tensor<2xi64>
  return %r : tensor<2xi64>
}

// CHECK-LABEL: func.func @scan
// CHECK: tkernel.scan addf %{{.*}} over %j exclusive reverse : f32
// CHECK: tkernel.store %{{.*}}, 0[%i, %j] : f32
func.func @scan(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = tgraph.scan add %x dim 1 {exclusive, reverse} : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// No identity is needed: a bool says what has been seen. What nobody reads is not stored.
// CHECK-LABEL: func.func @associative_scan
// CHECK: tkernel.kernel @associative_scan (%i : 2, %j : 3)
// CHECK: %[[S:.*]]:3 = tkernel.scan %{{.*}}, %{{.*}}, %{{.*}} over %j identities [false, 0.000000e+00 : f32, 0.000000e+00 : f32] : i1, f32, f32 {
// CHECK: ^bb0(%[[P:.*]]: i1, %[[A0:.*]]: f32, %[[B0:.*]]: f32, %[[Q:.*]]: i1, %[[A1:.*]]: f32, %[[B1:.*]]: f32):
// CHECK: %[[A:.*]] = arith.mulf %[[A1]], %[[A0]]
// CHECK: arith.select %[[P]], %[[A]], %[[A1]]
// CHECK: tkernel.yield
// CHECK: %[[R:.*]] = arith.truncf %[[S]]#2 : f32 to bf16
// CHECK: tkernel.store %[[R]], 0[%i, %j] : bf16
// CHECK-NOT: tkernel.store
func.func @associative_scan(%x: tensor<2x3xf32>, %y: tensor<2x3xbf16>) -> tensor<2x3xbf16> {
  %r:2 = tgraph.associative_scan %x, %y dim 1 : tensor<2x3xf32>, tensor<2x3xbf16> {
  ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<f32>, %b1: tensor<f32>):
    %p = tgraph.mul %a1, %a0 : tensor<f32>
    %q = tgraph.mul %a1, %b0 : tensor<f32>
    %s = tgraph.add %q, %b1 : tensor<f32>
    tgraph.yield %p, %s : tensor<f32>, tensor<f32>
  }
  return %r#1 : tensor<2x3xbf16>
}
