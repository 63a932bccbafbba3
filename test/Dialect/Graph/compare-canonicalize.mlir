// Simplification of compare, select, clamp, cast.
// RUN: tensor-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @compare
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>, %[[B:.*]]: tensor<4xi1>
func.func @compare(%x: tensor<4xf32>, %i: tensor<4xi32>, %b: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK-DAG: %[[TRUE:.*]] = tgraph.constant dense<true>
  // CHECK-DAG: %[[FALSE:.*]] = tgraph.constant dense<false>
  // CHECK-DAG: %[[TWO:.*]] = tgraph.constant dense<2> : tensor<4xi32>
  // CHECK: %[[NAN:.*]] = tgraph.compare eq, %[[X]], %[[X]]
  // CHECK: %[[GT:.*]] = tgraph.compare gt, %[[I]], %[[TWO]]
  // CHECK: return %[[TRUE]], %[[FALSE]], %[[NAN]], %[[GT]], %[[B]]
  %0 = tgraph.compare le, %i, %i : tensor<4xi32>
  %1 = tgraph.compare ne, %i, %i : tensor<4xi32>
  %2 = tgraph.compare eq, %x, %x : tensor<4xf32>
  %two = tgraph.constant dense<2> : tensor<4xi32>
  %3 = tgraph.compare lt, %two, %i : tensor<4xi32>
  %true = tgraph.constant dense<true> : tensor<4xi1>
  %4 = tgraph.compare eq, %true, %b : tensor<4xi1>
  return %0, %1, %2, %3, %4 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// Each comparison of two values has one form.
// CHECK-LABEL: func.func @one_form
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
func.func @one_form(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK-NEXT: %[[N:.*]] = tgraph.neg %[[Y]]
  %n = tgraph.neg %y : tensor<4xf32>
  // CHECK-NEXT: tgraph.compare lt, %[[Y]], %[[X]]
  %0 = tgraph.compare gt, %x, %y : tensor<4xf32>
  // CHECK-NEXT: tgraph.compare lt, %[[Y]], %[[X]]
  %1 = tgraph.compare lt, %y, %x : tensor<4xf32>
  // CHECK-NEXT: tgraph.compare le, %[[Y]], %[[X]]
  %2 = tgraph.compare ge, %x, %y : tensor<4xf32>
  // CHECK-NEXT: tgraph.compare eq, %[[X]], %[[Y]]
  %3 = tgraph.compare eq, %y, %x : tensor<4xf32>
  // CHECK-NEXT: tgraph.compare ne, %[[X]], %[[N]]
  %4 = tgraph.compare ne, %n, %x : tensor<4xf32>
  // CHECK-NEXT: tgraph.compare lt, %[[X]], %[[N]]
  %5 = tgraph.compare lt, %x, %n : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func.func @select
// CHECK-SAME: %[[C:.*]]: tensor<4xi1>, %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>
func.func @select(%c: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  // CHECK: %[[S:.*]] = tgraph.select %[[C]], %[[B]], %[[A]]
  // CHECK: return %[[B]], %[[A]], %[[S]], %[[C]]
  %false = tgraph.constant dense<false> : tensor<4xi1>
  %true = tgraph.constant dense<true> : tensor<4xi1>
  %0 = tgraph.select %false, %a, %b : tensor<4xf32>
  %1 = tgraph.select %c, %a, %a : tensor<4xf32>
  %n = tgraph.not %c : tensor<4xi1>
  %2 = tgraph.select %n, %a, %b : tensor<4xf32>
  %3 = tgraph.select %c, %true, %false : tensor<4xi1>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: func.func @casts
// CHECK-SAME: %[[X:.*]]: tensor<4xi8>, %[[F:.*]]: tensor<4xf32>
func.func @casts(%x: tensor<4xi8>, %f: tensor<4xf32>) -> (tensor<4xi8>, tensor<4xf32>, tensor<4xui8>, tensor<4xui8>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = tgraph.cast %[[X]] : tensor<4xi8> to tensor<4xf32>
  // CHECK: %[[B:.*]] = tgraph.cast %[[X]] : tensor<4xi8> to tensor<4xui8>
  // -1 as a float saturates to 0, as an integer it wraps to 255: stays.
  // CHECK: tgraph.cast %[[X]] : tensor<4xi8> to tensor<4xf32>
  // CHECK: %[[C:.*]] = tgraph.cast %{{.*}} : tensor<4xf32> to tensor<4xui8>
  // Loses bits: stays.
  // CHECK: tgraph.cast %[[F]] : tensor<4xf32> to tensor<4xi8>
  // CHECK: %[[D:.*]] = tgraph.cast %{{.*}} : tensor<4xi8> to tensor<4xf32>
  // CHECK: return %[[X]], %[[A]], %[[B]], %[[C]], %[[X]], %[[D]], %[[F]]
  %0 = tgraph.cast %x : tensor<4xi8> to tensor<4xi8>
  %1 = tgraph.cast %x : tensor<4xi8> to tensor<4xi32>
  %2 = tgraph.cast %1 : tensor<4xi32> to tensor<4xf32>
  %3 = tgraph.cast %1 : tensor<4xi32> to tensor<4xui8>
  %4 = tgraph.cast %x : tensor<4xi8> to tensor<4xf32>
  %5 = tgraph.cast %4 : tensor<4xf32> to tensor<4xui8>
  %6 = tgraph.cast %4 : tensor<4xf32> to tensor<4xi8>
  %7 = tgraph.cast %f : tensor<4xf32> to tensor<4xi8>
  %8 = tgraph.cast %7 : tensor<4xi8> to tensor<4xf32>
  %9 = tgraph.cast %f : tensor<4xf32> to tensor<4xf64>
  %10 = tgraph.cast %9 : tensor<4xf64> to tensor<4xf32>
  return %0, %2, %3, %5, %6, %8, %10 : tensor<4xi8>, tensor<4xf32>, tensor<4xui8>, tensor<4xui8>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<5xi8>, tensor<2xf32>, tensor<3xi1>, tensor<2xui8>, tensor<2xf32>) {
  // Saturation, truncation, NaN -> 0.
  // CHECK-DAG: dense<[127, -128, 0, -1, 1]> : tensor<5xi8>
  %a = tgraph.constant dense<[1000.0, 0xFF800000, 0x7FC00000, -1.5, 1.99]> : tensor<5xf32>
  %0 = tgraph.cast %a : tensor<5xf32> to tensor<5xi8>
  // CHECK-DAG: dense<[1.000000e-01, 0x7F800000]> : tensor<2xf32>
  %b = tgraph.constant dense<[0.1, 1.0e300]> : tensor<2xf64>
  %1 = tgraph.cast %b : tensor<2xf64> to tensor<2xf32>
  // CHECK-DAG: dense<[true, false, true]> : tensor<3xi1>
  %c = tgraph.constant dense<[0x7FC00000, -0.0, 0.5]> : tensor<3xf32>
  %2 = tgraph.cast %c : tensor<3xf32> to tensor<3xi1>
  // CHECK-DAG: dense<[255, 2]> : tensor<2xui8>
  %d = tgraph.constant dense<[-1, 258]> : tensor<2xi32>
  %3 = tgraph.cast %d : tensor<2xi32> to tensor<2xui8>
  // CHECK-DAG: dense<[1.000000e+00, 0x7FC00000]> : tensor<2xf32>
  %e = tgraph.constant dense<[3.0, 0x7FC00000]> : tensor<2xf32>
  %l = tgraph.constant dense<0.0> : tensor<2xf32>
  %h = tgraph.constant dense<1.0> : tensor<2xf32>
  %4 = tgraph.clamp %e, %l, %h : tensor<2xf32>
  return %0, %1, %2, %3, %4 : tensor<5xi8>, tensor<2xf32>, tensor<3xi1>, tensor<2xui8>, tensor<2xf32>
}
