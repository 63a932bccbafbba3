// RUN: tensor-opt %s --threads-split-vectors | FileCheck %s

gpu.module @kernels {
  // Languages know whether all or any truth values hold; a sum is taken one by one.
  // CHECK-LABEL: gpu.func @reduce
  // CHECK: vector.reduction <or>
  // CHECK-NOT: vector.reduction
  // CHECK-COUNT-3: arith.addf
  // CHECK-NOT: vector.reduction
  gpu.func @reduce(%a: vector<4xf32>, %b: vector<4xf32>, %m: memref<16xi32>, %f: memref<16xf32>) kernel {
    %0 = arith.constant 0 : index
    %c = arith.cmpf olt, %a, %b : vector<4xf32>
    %r = vector.reduction <or>, %c : vector<4xi1> into i1
    %t = arith.extui %r : i1 to i32
    memref.store %t, %m[%0] : memref<16xi32>
    %s = vector.reduction <add>, %a : vector<4xf32> into f32
    memref.store %s, %f[%0] : memref<16xf32>
    gpu.return
  }

  // What is not wanted reads element 0; where that is known nothing is read.
  // CHECK-LABEL: gpu.func @gather
  // CHECK-COUNT-4: memref.load
  // CHECK-NOT: arith.select
  // CHECK: vector.from_elements
  // CHECK-COUNT-4: arith.select {{.*}} : index
  // CHECK-NOT: vector.gather
  gpu.func @gather(%m: memref<16xf32>, %i: vector<4xindex>, %k: vector<4xi1>, %f: vector<4xf32>, %p: index) kernel {
    %all = arith.constant dense<true> : vector<4xi1>
    %steps = arith.constant dense<[0, 2, 4, 6]> : vector<4xindex>
    %a = vector.gather %m[%p][%steps], %all, %f : memref<16xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %a, %m[%p] : memref<16xf32>, vector<4xf32>
    %b = vector.gather %m[%p][%i], %k, %f : memref<16xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %b, %m[%p] : memref<16xf32>, vector<4xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @scatter
  // CHECK-COUNT-4: scf.if
  // CHECK-NOT: vector.scatter
  gpu.func @scatter(%m: memref<16xf32>, %i: vector<4xindex>, %k: vector<4xi1>, %f: vector<4xf32>, %p: index) kernel {
    vector.scatter %m[%p][%i], %k, %f : memref<16xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
    gpu.return
  }

  // The first seven of eight: four, two and one.
  // CHECK-LABEL: gpu.func @first
  // CHECK: vector.store {{.*}} vector<4xf32>
  // CHECK: vector.store {{.*}} vector<2xf32>
  // CHECK: memref.store
  // CHECK: vector.maskedstore
  gpu.func @first(%m: memref<16xf32>, %k: vector<8xi1>, %f: vector<8xf32>, %p: index) kernel {
    %seven = arith.constant dense<[true, true, true, true, true, true, true, false]> : vector<8xi1>
    vector.maskedstore %m[%p], %seven, %f : memref<16xf32>, vector<8xi1>, vector<8xf32>
    vector.maskedstore %m[%p], %k, %f : memref<16xf32>, vector<8xi1>, vector<8xf32>
    gpu.return
  }
}
