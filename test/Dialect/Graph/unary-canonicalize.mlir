// Simplification of elementwise ops of one operand.
// RUN: tensor-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @neg_neg
// CHECK-SAME: %[[X:.*]]: tensor
func.func @neg_neg(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tgraph.neg %x : tensor<4xf32>
  %1 = tgraph.neg %0 : tensor<4xf32>
  // CHECK-NEXT: return %[[X]]
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @abs_neg
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[U:.*]]: tensor<4xui8>
func.func @abs_neg(%x: tensor<4xf32>, %u: tensor<4xui8>) -> (tensor<4xf32>, tensor<4xui8>) {
  // CHECK: %[[ABS:.*]] = tgraph.abs %[[X]]
  %0 = tgraph.neg %x : tensor<4xf32>
  %1 = tgraph.abs %0 : tensor<4xf32>
  %2 = tgraph.abs %1 : tensor<4xf32>
  // Unsigned: neg stays, abs goes.
  // CHECK: %[[NEG:.*]] = tgraph.neg %[[U]]
  %3 = tgraph.neg %u : tensor<4xui8>
  %4 = tgraph.abs %3 : tensor<4xui8>
  // CHECK: return %[[ABS]], %[[NEG]]
  return %2, %4 : tensor<4xf32>, tensor<4xui8>
}

// CHECK-LABEL: func.func @integral
func.func @integral(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = tgraph.ceil
  // CHECK-NEXT: return %[[R]]
  %0 = tgraph.ceil %x : tensor<4xf32>
  %1 = tgraph.round %0 : tensor<4xf32>
  %2 = tgraph.floor %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @not_compare
func.func @not_compare(%a: tensor<4xi32>, %x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = tgraph.compare lt, %a, %a : tensor<4xi32>
  // CHECK: tgraph.compare le, %{{.*}}, %arg0 : tensor<4xi32>
  %b = tgraph.neg %a : tensor<4xi32>
  %1 = tgraph.compare lt, %a, %b : tensor<4xi32>
  %2 = tgraph.not %1 : tensor<4xi1>
  %y = tgraph.neg %x : tensor<4xf32>
  // CHECK: tgraph.compare ne, %{{.*}} : tensor<4xf32>
  %3 = tgraph.compare eq, %x, %y : tensor<4xf32>
  %4 = tgraph.not %3 : tensor<4xi1>
  // With a NaN neither lt nor ge holds.
  // CHECK: tgraph.compare lt, %{{.*}} : tensor<4xf32>
  // CHECK: tgraph.not
  %5 = tgraph.compare lt, %x, %y : tensor<4xf32>
  %6 = tgraph.not %5 : tensor<4xi1>
  return %2, %4, %6 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<2xf32>, tensor<3xi8>, tensor<2xf32>, tensor<3xui8>, tensor<2xi1>, tensor<9xf32>) {
  // CHECK-DAG: dense<[-1.000000e+00, 0.000000e+00]> : tensor<2xf32>
  %0 = tgraph.constant dense<[1.0, -0.0]> : tensor<2xf32>
  %1 = tgraph.neg %0 : tensor<2xf32>
  // CHECK-DAG: dense<[-128, 1, 0]> : tensor<3xi8>
  %2 = tgraph.constant dense<[-128, -1, 0]> : tensor<3xi8>
  %3 = tgraph.abs %2 : tensor<3xi8>
  // CHECK-DAG: dense<[2.000000e+00, 0.000000e+00]> : tensor<2xf32>
  %4 = tgraph.constant dense<[2.5, 0.5]> : tensor<2xf32>
  %5 = tgraph.round %4 : tensor<2xf32>
  // CHECK-DAG: dense<[0, 255, 127]> : tensor<3xui8>
  %6 = tgraph.constant dense<[255, 0, 128]> : tensor<3xui8>
  %7 = tgraph.not %6 : tensor<3xui8>
  // CHECK-DAG: dense<[true, false]> : tensor<2xi1>
  %8 = tgraph.constant dense<[0x7FC00000, 0x7F800000]> : tensor<2xf32>
  %9 = tgraph.is_nan %8 : tensor<2xf32>
  // exp is not exact: graph-fold-constants asks the interpreter.
  // CHECK-DAG: tgraph.exp
  %10 = tgraph.constant dense<1.0> : tensor<9xf32>
  %11 = tgraph.exp %10 : tensor<9xf32>
  return %1, %3, %5, %7, %9, %11 : tensor<2xf32>, tensor<3xi8>, tensor<2xf32>, tensor<3xui8>, tensor<2xi1>, tensor<9xf32>
}
