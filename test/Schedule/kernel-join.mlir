// RUN: tensor-opt %s --split-input-file --kernel-join=seed=5 | FileCheck %s
// RUN: tensor-opt %s --split-input-file --interpret="integers=true digits=5" -o %t.ir | grep -v "^//" > %t.apart
// RUN: tensor-opt %s --split-input-file --kernel-join=seed=5 --interpret="integers=true digits=5" -o %t.ir | grep -v "^//" | diff - %t.apart
// What legal joins may not do, whatever their price: each of these gave other numbers, or crashed.

// A part of the rows of a softmax: the sum goes over whole rows.
// CHECK-LABEL: func.func @part
// CHECK-COUNT-2: = tkernel.kernel
func.func @part(%x: tensor<4x8xf32>) -> tensor<4x5xf32> {
  %p = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = math.exp %0 : f32
    %2 = tkernel.reduce addf %1 over (%j) : f32
    %3 = arith.divf %1, %2 : f32
    tkernel.store %3, 0[%i, %j] : f32
  }
  %y = tkernel.kernel (%i : 4, %j : 5) reads(%a = %p : tensor<4x8xf32>) -> tensor<4x5xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = arith.negf %0 : f32
    tkernel.store %1, 0[%i, %j] : f32
  }
  return %y : tensor<4x5xf32>
}

// -----

// One column of it.
// CHECK-LABEL: func.func @column
// CHECK-COUNT-2: = tkernel.kernel
func.func @column(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %p = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = math.exp %0 : f32
    %2 = tkernel.reduce addf %1 over (%j) : f32
    %3 = arith.divf %1, %2 : f32
    tkernel.store %3, 0[%i, %j] : f32
  }
  %y = tkernel.kernel (%i : 4) reads(%a = %p : tensor<4x8xf32>) -> tensor<4xf32> {
    %0 = tkernel.load %a[%i, 3] : tensor<4x8xf32>
    %1 = arith.negf %0 : f32
    tkernel.store %1, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

// Its diagonal.
// CHECK-LABEL: func.func @diagonal
// CHECK-COUNT-2: = tkernel.kernel
func.func @diagonal(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %p = tkernel.kernel (%i : 8, %j : 8) reads(%a = %x : tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<8x8xf32>
    %1 = math.exp %0 : f32
    %2 = tkernel.reduce addf %1 over (%j) : f32
    %3 = arith.divf %1, %2 : f32
    tkernel.store %3, 0[%i, %j] : f32
  }
  %y = tkernel.kernel (%j : 8) reads(%a = %p : tensor<8x8xf32>) -> tensor<8xf32> {
    %0 = tkernel.load %a[%j, %j] : tensor<8x8xf32>
    %1 = arith.negf %0 : f32
    tkernel.store %1, 0[%j] : f32
  }
  return %y : tensor<8xf32>
}

// -----

// Sums from the end on: the last ones are not read.
// CHECK-LABEL: func.func @scan
// CHECK-COUNT-2: = tkernel.kernel
func.func @scan(%x: tensor<4x8xf32>) -> tensor<4x5xf32> {
  %p = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.scan addf %0 over %j reverse : f32
    tkernel.store %1, 0[%i, %j] : f32
  }
  %y = tkernel.kernel (%i : 4, %j : 5) reads(%a = %p : tensor<4x8xf32>) -> tensor<4x5xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = arith.negf %0 : f32
    tkernel.store %1, 0[%i, %j] : f32
  }
  return %y : tensor<4x5xf32>
}

// -----

// All of it, transposed: joined, and the sum goes along what was the row.
// CHECK-LABEL: func.func @whole
// CHECK: = tkernel.kernel {{.*}}(%{{.*}} : 4, %[[J:.*]] : 4) reads
// CHECK: tkernel.reduce addf %{{.*}} over (%[[J]])
// CHECK-NOT: tkernel.kernel
func.func @whole(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = tkernel.kernel (%i : 4, %j : 4) reads(%a = %x : tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x4xf32>
    %1 = math.exp %0 : f32
    %2 = tkernel.reduce addf %1 over (%j) : f32
    %3 = arith.divf %1, %2 : f32
    tkernel.store %3, 0[%i, %j] : f32
  }
  %y = tkernel.kernel (%i : 4, %j : 4) reads(%a = %p : tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = tkernel.load %a[%j, %i] : tensor<4x4xf32>
    %1 = arith.negf %0 : f32
    tkernel.store %1, 0[%i, %j] : f32
  }
  return %y : tensor<4x4xf32>
}

// -----

// What is reduced over both axes keeps nothing, the maximum of columns keeps j: it comes first.
// CHECK-LABEL: func.func @order
// CHECK: = tkernel.kernel {{.*}}(%[[J:.*]] : 4, %[[I:.*]] : 8) reads
// CHECK: tkernel.reduce maximumf %{{.*}} over (%[[I]])
// CHECK-NOT: tkernel.kernel
func.func @order(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %m = tkernel.kernel (%j : 4, %i : 8) reads(%a = %x : tensor<8x4xf32>) -> tensor<4xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<8x4xf32>
    %1 = tkernel.reduce maximumf %0 over (%i) : f32
    tkernel.store %1, 0[%j] : f32
  }
  %s = tkernel.kernel (%i : 8, %j : 4) reads(%a = %x : tensor<8x4xf32>, %b = %m : tensor<4xf32>) -> tensor<f32> {
    %0 = tkernel.load %a[%i, %j] : tensor<8x4xf32>
    %1 = tkernel.load %b[%j] : tensor<4xf32>
    %2 = arith.subf %0, %1 : f32
    %3 = tkernel.reduce addf %2 over (%i, %j) : f32
    tkernel.store %3, 0[] : f32
  }
  %y = tkernel.kernel (%i : 8, %j : 4) reads(%a = %x : tensor<8x4xf32>, %b = %m : tensor<4xf32>, %c = %s : tensor<f32>) -> tensor<8x4xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<8x4xf32>
    %1 = tkernel.load %b[%j] : tensor<4xf32>
    %2 = arith.subf %0, %1 : f32
    %3 = tkernel.load %c[] : tensor<f32>
    %4 = arith.subf %2, %3 : f32
    tkernel.store %4, 0[%i, %j] : f32
  }
  return %y : tensor<8x4xf32>
}

// -----

// A concatenation of softmaxes along their rows: each is computed where it is stored, along axes of one nest.
// CHECK-LABEL: func.func @pieces
// CHECK: = tkernel.kernel {{.*}}(%[[I:.*]] : 4, %[[J:.*]] : 8) reads
// CHECK: tkernel.store %{{.*}}, 0[%[[I]], %[[J]]]
// CHECK: tkernel.store %{{.*}}, 0[%[[I]], %[[J]] + 8]
// CHECK-NOT: tkernel.kernel
func.func @pieces(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %p = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = math.exp %0 : f32
    %2 = tkernel.reduce addf %1 over (%j) : f32
    %3 = arith.divf %1, %2 : f32
    tkernel.store %3, 0[%i, %j] : f32
  }
  %q = tkernel.kernel (%i : 4, %j : 8) reads(%a = %z : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = math.exp2 %0 : f32
    %2 = tkernel.reduce addf %1 over (%j) : f32
    %3 = arith.divf %1, %2 : f32
    tkernel.store %3, 0[%i, %j] : f32
  }
  %y = tkernel.kernel (%i : 4, %j : 16) reads(%a = %p : tensor<4x8xf32>, %b = %q : tensor<4x8xf32>) -> tensor<4x16xf32> {
    %c8 = arith.constant 8 : index
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.load %b[%i, %j - 8] : tensor<4x8xf32>
    %2 = arith.cmpi slt, %j, %c8 : index
    %3 = arith.select %2, %0, %1 : f32
    tkernel.store %3, 0[%i, %j] : f32
  }
  return %y : tensor<4x16xf32>
}

// -----

// Of equal positions the last point of a scatter stays: two that read the same in other orders keep their own.
// CHECK-LABEL: func.func @scatters
// CHECK: tkernel.kernel @by_rows (%r : 4, %c : 4, %c0 : 4, %r0 : 4)
func.func @scatters(%u: tensor<4x4xf32>, %x: tensor<5xf32>, %y: tensor<5xf32>, %i: tensor<4x4xi64>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = tkernel.kernel @by_rows (%r : 4, %c : 4) reads(%a = %u : tensor<4x4xf32>, %b = %i : tensor<4x4xi64>, %d = %x : tensor<5xf32>) -> tensor<5xf32> {
    %2 = tkernel.load %a[%r, %c] : tensor<4x4xf32>
    %3 = tkernel.load %b[%r, %c] : tensor<4x4xi64>
    %4 = arith.index_cast %3 : i64 to index
    tkernel.store addf %2, 0[0] at (%4) into %d : f32, tensor<5xf32>
  }
  %1 = tkernel.kernel @by_columns (%c : 4, %r : 4) reads(%a = %u : tensor<4x4xf32>, %b = %i : tensor<4x4xi64>, %d = %y : tensor<5xf32>) -> tensor<5xf32> {
    %2 = tkernel.load %a[%r, %c] : tensor<4x4xf32>
    %3 = tkernel.load %b[%r, %c] : tensor<4x4xi64>
    %4 = arith.index_cast %3 : i64 to index
    tkernel.store addf %2, 0[0] at (%4) into %d : f32, tensor<5xf32>
  }
  return %0, %1 : tensor<5xf32>, tensor<5xf32>
}
