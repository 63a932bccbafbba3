// RUN: tensor-opt %s --view-to-kernel | FileCheck %s

// CHECK-LABEL: func.func @add
// CHECK: tkernel.kernel @add (%i : 4, %j : 8) reads(%[[A:.*]] = %{{.*}} : tensor<4x8xf32>, %[[B:.*]] = %{{.*}} : tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: %[[X:.*]] = tkernel.load %[[A]][%i, %j]
// CHECK: %[[Y:.*]] = tkernel.load %[[B]][%i, %j]
// CHECK: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK: tkernel.store %[[S]], 0[%i, %j] : f32
func.func @add(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tgraph.add %a, %b : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// One operand for a tensor that is read twice, none for a constant of one value.
// CHECK-LABEL: func.func @operands
// CHECK-NOT: tgraph.constant
// CHECK: tkernel.kernel @clamp (%i : 4) reads(%[[A:.*]] = %{{.*}} : tensor<4xui8>) -> tensor<4xui8>
// CHECK: %[[X:.*]] = tkernel.load %[[A]][%i] : tensor<4xui8>
// CHECK: %[[Y:.*]] = tkernel.load %[[A]][%i] : tensor<4xui8>
// CHECK: %[[C:.*]] = arith.constant -56 : i8
// CHECK: arith.maxui %[[X]], %[[Y]] : i8
// CHECK: arith.minui %{{.*}}, %[[C]] : i8
func.func @operands(%a: tensor<4xui8>) -> tensor<4xui8> {
  %c = tgraph.constant dense<200> : tensor<4xui8>
  %r = tgraph.clamp %a, %a, %c : tensor<4xui8>
  return %r : tensor<4xui8>
}

// Other constants stay.
// CHECK-LABEL: func.func @constants
// CHECK: %[[C:.*]] = tgraph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: tkernel.kernel @mul (%i : 2) reads(%{{.*}} = %{{.*}} : tensor<2xf32>, %{{.*}} = %[[C]] : tensor<2xf32>)
func.func @constants(%a: tensor<2xf32>) -> tensor<2xf32> {
  %c = tgraph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = tgraph.mul %a, %c : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @relu
// CHECK: tkernel.kernel @relu
func.func @relu(%a: tensor<2xf32>) -> tensor<2xf32> {
  %c = tgraph.constant dense<0.0> : tensor<2xf32>
  %r = tgraph.maximum %a, %c : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @scalar
// CHECK: tkernel.kernel @neg () reads(%[[A:.*]] = %{{.*}} : tensor<f64>) -> tensor<f64>
// CHECK: tkernel.load %[[A]][] : tensor<f64>
// CHECK: tkernel.store %{{.*}}, 0[] : f64
func.func @scalar(%a: tensor<f64>) -> tensor<f64> {
  %r = tgraph.neg %a : tensor<f64>
  return %r : tensor<f64>
}

// CHECK-LABEL: func.func @choose
// CHECK: tkernel.kernel @compare
// CHECK: arith.cmpf olt
// CHECK: tkernel.kernel @select
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i64
// CHECK: tkernel.kernel @cast
func.func @choose(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: tensor<4xi64>, %j: tensor<4xi64>) -> tensor<4xf32> {
  %c = tgraph.compare lt, %a, %b : tensor<4xf32>
  %s = tgraph.select %c, %i, %j : tensor<4xi64>
  %r = tgraph.cast %s : tensor<4xi64> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @iota
// CHECK: tkernel.kernel @iota (%i : 2, %j : 3) -> tensor<2x3xi8>
// CHECK: arith.index_cast %j : index to i8
// CHECK: tkernel.kernel @iota (%i : 2, %j : 3) -> tensor<2x3xf32>
// CHECK: arith.sitofp %{{.*}} : i64 to f32
func.func @iota() -> (tensor<2x3xi8>, tensor<2x3xf32>) {
  %a = tgraph.iota dim 1 : tensor<2x3xi8>
  %b = tgraph.iota dim 0 : tensor<2x3xf32>
  return %a, %b : tensor<2x3xi8>, tensor<2x3xf32>
}
