// RUN: tensor-opt %s --kernel-drop-results --split-input-file | FileCheck %s

// With the result go its store, the sum, the axis and the operand that only the sum uses, and the
// producer of that operand.
// CHECK-LABEL: func.func @dead
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[W:.*]]: tensor<8x16xf32>
// CHECK-NEXT: %[[R:.*]] = tkernel.kernel @both (%[[I:.*]] : 8) reads(%[[A:.*]] = %[[X]] : tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:   %[[V:.*]] = tkernel.load %[[A]][%[[I]]]
// CHECK-NEXT:   %[[E:.*]] = math.exp %[[V]]
// CHECK-NEXT:   tkernel.store %[[E]], 0[%[[I]]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]
func.func @dead(%x: tensor<8xf32>, %w: tensor<8x16xf32>) -> tensor<8xf32> {
  %n = tkernel.kernel @neg (%i : 8, %j : 16) reads(%a = %w : tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<8x16xf32>
    %1 = arith.negf %0 : f32
    tkernel.store %1, 0[%i, %j] : f32
  }
  %y:2 = tkernel.kernel @both (%i : 8, %j : 16) reads(%a = %n : tensor<8x16xf32>, %b = %x : tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = tkernel.load %a[%i, %j] : tensor<8x16xf32>
    %1 = tkernel.reduce addf %0 over (%j) : f32
    %2 = tkernel.load %b[%i] : tensor<8xf32>
    %3 = math.exp %2 : f32
    tkernel.store %1, 0[%i] : f32
    tkernel.store %3, 1[%i] : f32
  }
  return %y#1 : tensor<8xf32>
}

// -----

// What no store needs goes too, with the axis and the operand that it alone has.
// CHECK-LABEL: func.func @unread
// CHECK: tkernel.kernel @one (%{{.*}} : 8) reads(%{{.*}} = %arg0 : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NOT: tkernel.scan
func.func @unread(%x: tensor<8xf32>, %w: tensor<8x16xf32>) -> tensor<8xf32> {
  %y = tkernel.kernel @one (%i : 8, %j : 16) reads(%a = %x : tensor<8xf32>, %b = %w : tensor<8x16xf32>) -> tensor<8xf32> {
    %0 = tkernel.load %a[%i] : tensor<8xf32>
    %1 = tkernel.load %b[%i, %j] : tensor<8x16xf32>
    %2 = tkernel.scan addf %1 over %j : f32
    tkernel.store %0, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

// A schedule may name what would go.
// CHECK-LABEL: func.func @scheduled
// CHECK: tkernel.kernel
// CHECK-COUNT-2: tkernel.store
func.func @scheduled(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y:2 = tkernel.kernel @both (%i : 8) reads(%a = %x : tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
      attributes {schedule = #tkernel.schedule<[grid [i]]>} {
    %0 = tkernel.load %a[%i] : tensor<8xf32>
    %1 = math.exp %0 : f32
    tkernel.store %0, 0[%i] : f32
    tkernel.store %1, 1[%i] : f32
  }
  return %y#1 : tensor<8xf32>
}
