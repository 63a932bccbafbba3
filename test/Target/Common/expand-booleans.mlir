// RUN: tensor-opt %s --expand-booleans | FileCheck %s

// CHECK-LABEL: func.func @arithmetic
// CHECK-SAME: %[[A:.*]]: i1, %[[B:.*]]: i1)
// CHECK-DAG: %[[ADD:.*]] = arith.xori %[[A]], %[[B]] : i1
// CHECK-DAG: %[[MUL:.*]] = arith.andi %[[ADD]], %[[B]] : i1
// CHECK-DAG: %[[MAX:.*]] = arith.ori %[[MUL]], %[[A]] : i1
// CHECK-DAG: %[[MIN:.*]] = arith.andi %[[MAX]], %[[B]] : i1
// Quotients by 1 and shifts by 0 are all there are; remainders of 1 are 0.
// CHECK-DAG: %[[REM:.*]] = arith.constant false
// CHECK: return %[[MIN]], %[[MIN]], %[[REM]]
func.func @arithmetic(%a: i1, %b: i1) -> (i1, i1, i1) {
  %0 = arith.addi %a, %b : i1
  %1 = arith.muli %0, %b : i1
  %2 = arith.maxui %1, %a : i1
  %3 = arith.minui %2, %b : i1
  %4 = arith.divui %3, %b : i1
  %5 = arith.shli %3, %b : i1
  %6 = arith.shrui %5, %a : i1
  %7 = arith.remui %6, %b : i1
  return %4, %6, %7 : i1, i1, i1
}

// Signed, true is -1: the maximum is the unsigned minimum.
// CHECK-LABEL: func.func @signed
// CHECK-SAME: %[[A:.*]]: vector<4xi1>, %[[B:.*]]: vector<4xi1>)
// CHECK: %[[MAX:.*]] = arith.andi %[[A]], %[[B]] : vector<4xi1>
// CHECK: %[[MIN:.*]] = arith.ori %[[MAX]], %[[B]] : vector<4xi1>
// CHECK: return %[[MIN]]
func.func @signed(%a: vector<4xi1>, %b: vector<4xi1>) -> vector<4xi1> {
  %0 = arith.maxsi %a, %b : vector<4xi1>
  %1 = arith.minsi %0, %b : vector<4xi1>
  return %1 : vector<4xi1>
}

// CHECK-LABEL: func.func @order
// CHECK-SAME: %[[A:.*]]: i1, %[[B:.*]]: i1)
// CHECK: %[[NOT:.*]] = arith.xori %[[A]], %true{{.*}} : i1
// CHECK: %[[LESS:.*]] = arith.andi %[[NOT]], %[[B]] : i1
// CHECK: %[[NOT2:.*]] = arith.xori %[[B]], %true{{.*}} : i1
// CHECK: %[[SIGNED:.*]] = arith.andi %[[A]], %[[NOT2]] : i1
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[A]], %[[B]] : i1
// CHECK: return %[[LESS]], %[[SIGNED]], %[[SAME]]
func.func @order(%a: i1, %b: i1) -> (i1, i1, i1) {
  %0 = arith.cmpi ult, %a, %b : i1
  %1 = arith.cmpi slt, %a, %b : i1
  %2 = arith.cmpi eq, %a, %b : i1
  return %0, %1, %2 : i1, i1, i1
}
