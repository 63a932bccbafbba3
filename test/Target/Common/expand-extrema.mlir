// RUN: tensor-opt %s --expand-extrema | FileCheck %s

// With a number one comparison does: false for NaN, which stays.
// CHECK-LABEL: func.func @with_number
// CHECK-SAME: %[[A:.*]]: vector<4xf32>
// CHECK: %[[SIX:.*]] = arith.constant dense<6.0
// CHECK: %[[L:.*]] = arith.cmpf olt, %[[SIX]], %[[A]]
// CHECK-NEXT: %[[R:.*]] = arith.select %[[L]], %[[SIX]], %[[A]]
// CHECK-NEXT: return %[[R]]
func.func @with_number(%a: vector<4xf32>) -> vector<4xf32> {
  %six = arith.constant dense<6.0> : vector<4xf32>
  %r = arith.minimumf %six, %a : vector<4xf32>
  return %r : vector<4xf32>
}

// Which zero the number is decides about the other zero.
// CHECK-LABEL: func.func @with_zeros
// CHECK: arith.cmpf oge, %{{.*}} : f32
// CHECK: arith.cmpf ogt, %{{.*}} : f32
// CHECK: arith.cmpf olt, %{{.*}} : f32
// CHECK: arith.cmpf ole, %{{.*}} : f32
func.func @with_zeros(%a: f32) -> (f32, f32, f32, f32) {
  %zero = arith.constant 0.0 : f32
  %negative = arith.constant -0.0 : f32
  %0 = arith.maximumf %a, %zero : f32
  %1 = arith.maximumf %a, %negative : f32
  %2 = arith.minimumf %a, %zero : f32
  %3 = arith.minimumf %a, %negative : f32
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// CHECK-LABEL: func.func @maximum
// CHECK-SAME: %[[A:.*]]: f64, %[[B:.*]]: f64
// CHECK-DAG: %[[ABITS:.*]] = arith.bitcast %[[A]] : f64 to i64
// CHECK-DAG: %[[BBITS:.*]] = arith.bitcast %[[B]] : f64 to i64
// CHECK: %[[BITS:.*]] = arith.andi %[[ABITS]], %[[BBITS]]
// CHECK: %[[MORE:.*]] = arith.cmpf ogt, %[[A]], %[[B]]
// CHECK: %[[BETTER:.*]] = arith.select %[[MORE]], %[[A]], %[[B]]
// CHECK-DAG: %[[EQUAL:.*]] = arith.cmpf oeq, %[[A]], %[[B]]
// CHECK-DAG: %[[ZERO:.*]] = arith.bitcast %[[BITS]] : i64 to f64
// CHECK-DAG: %[[NAN:.*]] = arith.cmpf uno, %[[A]], %[[A]]
// CHECK: %[[REST:.*]] = arith.select %[[NAN]], %[[A]], %[[BETTER]]
// CHECK: arith.select %[[EQUAL]], %[[ZERO]], %[[REST]]
func.func @maximum(%a: f64, %b: f64) -> f64 {
  %r = arith.maximumf %a, %b : f64
  return %r : f64
}

// CHECK-LABEL: func.func @minimum
// CHECK: arith.ori
// CHECK: arith.cmpf olt
func.func @minimum(%a: vector<8xf32>, %b: vector<8xf32>) -> vector<8xf32> {
  %r = arith.minimumf %a, %b : vector<8xf32>
  return %r : vector<8xf32>
}
