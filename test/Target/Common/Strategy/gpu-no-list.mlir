// Where no list is legal, that of a kernel without a strategy is tried, and the reason told.
// RUN: not tensor-opt %s --kernel-schedule="machine=gpu" 2>&1 | FileCheck %s
// CHECK: error: no schedule is known that is legal
// CHECK-SAME: write what it reduces or scans as a kernel of its own
func.func @both(%x: tensor<40x300xi32>) -> tensor<40x300xi32> {
  %y = tkernel.kernel (%i : 40, %j : 300) reads(%a = %x : tensor<40x300xi32>) -> tensor<40x300xi32> {
    %v = tkernel.load %a[%i, %j] : tensor<40x300xi32>
    %s = tkernel.scan addi %v over %j : i32
    %t = tkernel.scan addi %s over %i : i32
    tkernel.store %t, 0[%i, %j] : i32
  }
  return %y : tensor<40x300xi32>
}
