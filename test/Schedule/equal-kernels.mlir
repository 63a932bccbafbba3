// Kernels that are equal are looked at once; what one reads may decide otherwise, as constants do.
// RUN: tensor-opt %s --kernel-schedule | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: tkernel.kernel @first
// CHECK-SAME: schedule = #tkernel.schedule<[[EQUAL:.*]]>} {
// CHECK: tkernel.load {{.*}}[%m, %k][[ROWS:( {name = "[a-z_]+"})? :]] tensor
// CHECK: tkernel.load {{.*}}[%k, %n][[COLUMNS:( {name = "[a-z_]+"})? :]] tensor
// CHECK: tkernel.kernel @second
// CHECK-SAME: schedule = #tkernel.schedule<[[EQUAL]]>} {
// CHECK: tkernel.load {{.*}}[%m, %k][[ROWS]] tensor
// CHECK: tkernel.load {{.*}}[%k, %n][[COLUMNS]] tensor
// CHECK: tkernel.kernel @constant
// CHECK-SAME: stage vectors as {{.*}} at kernel global
// CHECK: tkernel.load {{.*}}[%m, %k] : tensor
// CHECK: tkernel.load {{.*}}[%k, %n] {name = "vectors"}
func.func @main(%x: tensor<96x1024xf32>, %w: tensor<1024x1024xf32>, %v: tensor<1024x1024xf32>) -> (tensor<96x1024xf32>, tensor<96x1024xf32>, tensor<96x1024xf32>) {
  %0 = tkernel.kernel @first (%m : 96, %n : 1024, %k : 1024) reads(%a = %x : tensor<96x1024xf32>, %b = %w : tensor<1024x1024xf32>) -> tensor<96x1024xf32> {
    %1 = tkernel.load %a[%m, %k] : tensor<96x1024xf32>
    %2 = tkernel.load %b[%k, %n] : tensor<1024x1024xf32>
    %3 = tkernel.contract %1, %2 over(%k) : f32
    tkernel.store %3, 0[%m, %n] : f32
  }
  %4 = tkernel.kernel @second (%m : 96, %n : 1024, %k : 1024) reads(%a = %x : tensor<96x1024xf32>, %b = %v : tensor<1024x1024xf32>) -> tensor<96x1024xf32> {
    %1 = tkernel.load %a[%m, %k] : tensor<96x1024xf32>
    %2 = tkernel.load %b[%k, %n] : tensor<1024x1024xf32>
    %3 = tkernel.contract %1, %2 over(%k) : f32
    tkernel.store %3, 0[%m, %n] : f32
  }
  %5 = tgraph.constant #tgraph.file<"weights", 0, 4194304> : tensor<1024x1024xf32>
  %6 = tkernel.kernel @constant (%m : 96, %n : 1024, %k : 1024) reads(%a = %x : tensor<96x1024xf32>, %b = %5 : tensor<1024x1024xf32>) -> tensor<96x1024xf32> {
    %1 = tkernel.load %a[%m, %k] : tensor<96x1024xf32>
    %2 = tkernel.load %b[%k, %n] : tensor<1024x1024xf32>
    %3 = tkernel.contract %1, %2 over(%k) : f32
    tkernel.store %3, 0[%m, %n] : f32
  }
  return %0, %4, %6 : tensor<96x1024xf32>, tensor<96x1024xf32>, tensor<96x1024xf32>
}
