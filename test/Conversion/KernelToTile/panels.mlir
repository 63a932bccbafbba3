// RUN: tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile --canonicalize --cse | FileCheck %s

// Rows of a are packed into panels of 4 rows, transposed; 10 rows are two panels and one of 2, which has a
// body of its own, 11 columns are two tiles and one of 3. No access is masked.
// CHECK-LABEL: ttile.func @matmul
// CHECK:         %[[PANELS:.*]] = ttile.alloc : memref<3x5x4xf32, #gpu.address_space<workgroup>>
// CHECK:         scf.for {{.*}} = %c0 to %c2
// CHECK:           ttile.load {{.*}} -> tensor<5x4xf32>
// CHECK:           ttile.store {{.*}} %[[PANELS]]
// CHECK:         ttile.load {{.*}} -> tensor<5x2xf32>
// CHECK:         ttile.store {{.*}} %[[PANELS]]
// CHECK:         scf.for
// CHECK:           ttile.mma {{.*}} tensor<4x1xf32>, tensor<1x4xf32>, tensor<4x4xf32>
// CHECK:           ttile.mma {{.*}} tensor<2x1xf32>, tensor<1x4xf32>, tensor<2x4xf32>
// CHECK:         ttile.mma {{.*}} tensor<4x1xf32>, tensor<1x3xf32>, tensor<4x3xf32>
// CHECK:         ttile.mma {{.*}} tensor<2x1xf32>, tensor<1x3xf32>, tensor<2x3xf32>
// CHECK-NOT:     ttile.inside
func.func @main(%x: tensor<10x5xf32>, %w: tensor<5x11xf32>) -> tensor<10x11xf32> {
  %y = tkernel.kernel @matmul (%m : 10, %n : 11, %k : 5) reads(%a = %x : tensor<10x5xf32>, %b = %w : tensor<5x11xf32>) -> tensor<10x11xf32>
      attributes {schedule = #tkernel.schedule<[split m = [mi, mr 4], split n = [no, nr 4], order [no, mi, k], tile [mr, nr], stage lhs as (mi, k, mr) at grid local, edge m peel, edge n peel]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<10x5xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<5x11xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<10x11xf32>
}

// The last program of the grid has less to do: a branch of its own.
// CHECK-LABEL: ttile.func @add
// CHECK:         arith.cmpi eq, %{{.*}}, %c2
// CHECK:         scf.if
// CHECK:           ttile.load {{.*}} -> tensor<2xf32>
// CHECK:         } else {
// CHECK:           ttile.load {{.*}} -> tensor<4xf32>
func.func @grid(%x: tensor<10xf32>) -> tensor<10xf32> {
  %y = tkernel.kernel @add (%i : 10) reads(%a = %x : tensor<10xf32>) -> tensor<10xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 4], grid [io], tile [ii], edge i peel]>} {
    %0 = tkernel.load %a[%i] : tensor<10xf32>
    %1 = arith.addf %0, %0 : f32
    tkernel.store %1, 0[%i] : f32
  }
  return %y : tensor<10xf32>
}

// An axis of one point that the store does not name, split into more: the points beyond it write nothing.
// CHECK-LABEL: ttile.func @unit
// CHECK:         ttile.store {{.*}} (d1 le 0)
func.func @unit(%x: tensor<1x17xf32>, %b: tensor<1xf32>) -> tensor<17xf32> {
  %y = tkernel.kernel @unit (%c : 1, %w : 17) reads(%a = %x : tensor<1x17xf32>, %v = %b : tensor<1xf32>) -> tensor<17xf32>
      attributes {schedule = #tkernel.schedule<[split c = [co, ci 7]]>} {
    %0 = tkernel.load %a[%c, %w] : tensor<1x17xf32>
    %1 = tkernel.load %v[%c] : tensor<1xf32>
    %2 = arith.addf %0, %1 : f32
    tkernel.store %2, 0[%w] : f32
  }
  return %y : tensor<17xf32>
}
