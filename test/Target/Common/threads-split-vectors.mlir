// RUN: tensor-opt %s --threads-split-vectors | FileCheck %s

gpu.module @kernels {
  // What is compared and chosen in 32 bits stays.
  // CHECK-LABEL: gpu.func @whole
  // CHECK: %[[C:.*]] = arith.cmpf olt, %[[A:.*]], %[[B:.*]] : vector<4xf32>
  // CHECK: arith.select %[[C]], %[[A]], %[[B]] : vector<4xi1>, vector<4xf32>
  // CHECK-NOT: vector.extract
  gpu.func @whole(%a: vector<4xf32>, %b: vector<4xf32>, %m: memref<16xf32>) kernel {
    %0 = arith.constant 0 : index
    %c = arith.cmpf olt, %a, %b : vector<4xf32>
    %s = arith.select %c, %a, %b : vector<4xi1>, vector<4xf32>
    vector.store %s, %m[%0] : memref<16xf32>, vector<4xf32>
    gpu.return
  }

  // Conversions are split, and so is what chooses by values of another width.
  // CHECK-LABEL: gpu.func @split
  // CHECK-COUNT-4: arith.cmpi slt, {{.*}} : i64
  // CHECK-COUNT-4: arith.select {{.*}} : f32
  // CHECK: %[[S:.*]] = vector.from_elements
  // CHECK-COUNT-4: arith.fptosi {{.*}} : f32 to i32
  // CHECK: %[[F:.*]] = vector.from_elements {{.*}} : vector<4xi32>
  // CHECK: arith.addi %[[F]], %[[F]] : vector<4xi32>
  gpu.func @split(%a: vector<4xf32>, %b: vector<4xi64>, %m: memref<16xi32>) kernel {
    %0 = arith.constant 0 : index
    %zero = arith.constant dense<0> : vector<4xi64>
    %c = arith.cmpi slt, %b, %zero : vector<4xi64>
    %n = arith.negf %a : vector<4xf32>
    %s = arith.select %c, %a, %n : vector<4xi1>, vector<4xf32>
    %f = arith.fptosi %s : vector<4xf32> to vector<4xi32>
    %t = arith.addi %f, %f : vector<4xi32>
    vector.store %t, %m[%0] : memref<16xi32>, vector<4xi32>
    gpu.return
  }

  // A reduction of truth values takes them one by one.
  // CHECK-LABEL: gpu.func @any
  // CHECK-COUNT-4: arith.cmpf olt, {{.*}} : f32
  // CHECK-COUNT-3: arith.ori
  // CHECK-NOT: vector.reduction
  gpu.func @any(%a: vector<4xf32>, %b: vector<4xf32>, %m: memref<16xi32>) kernel {
    %0 = arith.constant 0 : index
    %c = arith.cmpf olt, %a, %b : vector<4xf32>
    %r = vector.reduction <or>, %c : vector<4xi1> into i1
    %t = arith.extui %r : i1 to i32
    memref.store %t, %m[%0] : memref<16xi32>
    gpu.return
  }
}
