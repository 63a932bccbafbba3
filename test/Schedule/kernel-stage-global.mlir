// RUN: tensor-opt %s --kernel-stage-global | FileCheck %s
// RUN: not tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: a value staged at kernel global needs a kernel of its own: run kernel-stage-global first

// The columns of b are packed into panels of 4, zeros where the last panel reaches beyond them.
// CHECK-LABEL: func.func @main
// CHECK:         %[[PANELS:.*]] = tkernel.kernel @matmul_pack (%no : 3, %k : 5, %nr : 4)
// CHECK-SAME:        -> tensor<3x5x4xf32>
// CHECK:           tkernel.load %{{.*}}[%k, %no * 4 + %nr]
// CHECK:         tkernel.kernel @matmul
// CHECK-SAME:      reads({{.*}} = %[[PANELS]] : tensor<3x5x4xf32>)
// CHECK-SAME:      schedule = #tkernel.schedule<[split n = [no, nr 4], order [no, m, k], tile [nr], edge n peel]>
// CHECK:           tkernel.load %{{.*}}[%n floordiv 4, %k, %n mod 4]
func.func @main(%x: tensor<10x5xf32>, %w: tensor<5x11xf32>) -> tensor<10x11xf32> {
  %y = tkernel.kernel @matmul (%m : 10, %n : 11, %k : 5) reads(%a = %x : tensor<10x5xf32>, %b = %w : tensor<5x11xf32>) -> tensor<10x11xf32>
      attributes {schedule = #tkernel.schedule<[split n = [no, nr 4], order [no, m, k], tile [nr], stage rhs as (no, k, nr) at kernel global, edge n peel]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<10x5xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<5x11xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<10x11xf32>
}

// What is fetched ahead is in the panel; the load of it has the name of what it holds. The same for rows.
// CHECK-LABEL: func.func @fetched
// CHECK:         tkernel.kernel @matmul (%m : 10, %n : 12, %k : 5)
// CHECK-SAME:      schedule = #tkernel.schedule<[split m = [mo, mr 2], split n = [no, nr 4], order [no, mo, k], tile [mr, nr], prefetch rhs 8, prefetch lhs 6]>
// CHECK-DAG:       tkernel.load %{{.*}}[%n floordiv 4, %k, %n mod 4] {name = "rhs"}
// CHECK-DAG:       tkernel.load %{{.*}}[%m floordiv 2, %k, %m mod 2] {name = "lhs"}
func.func @fetched(%x: tensor<10x5xf32>, %w: tensor<5x12xf32>) -> tensor<10x12xf32> {
  %y = tkernel.kernel @matmul (%m : 10, %n : 12, %k : 5) reads(%a = %x : tensor<10x5xf32>, %b = %w : tensor<5x12xf32>) -> tensor<10x12xf32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mr 2], split n = [no, nr 4], order [no, mo, k], tile [mr, nr], stage rhs as (no, k, nr) at kernel global, prefetch rhs 8, stage lhs as (mo, k, mr) at kernel global, prefetch lhs 6]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<10x5xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<5x12xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<10x12xf32>
}
