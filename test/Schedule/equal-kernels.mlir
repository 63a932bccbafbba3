// Kernels that are equal are looked at once; what one reads may decide otherwise, as constants do.
// RUN: tensor-opt %s --kernel-schedule | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: tkernel.kernel @first
// CHECK-SAME: schedule = #tkernel.schedule<[[EQUAL:.*]]>} {
// CHECK: tkernel.load {{.*}}[%m, %k] {name = "scalars"}
// CHECK: tkernel.contract {{.*}}name = "sum"
// CHECK: tkernel.kernel @second
// CHECK-SAME: schedule = #tkernel.schedule<[[EQUAL]]>} {
// CHECK: tkernel.load {{.*}}[%m, %k] {name = "scalars"}
// CHECK: tkernel.contract {{.*}}name = "sum"
// CHECK: tkernel.kernel @constant
// CHECK: tkernel.load {{.*}}[%k, %n] {name = "vectors"}
func.func @main(%x: tensor<48x64xf32>, %w: tensor<64x96xf32>, %v: tensor<64x96xf32>) -> (tensor<48x96xf32>, tensor<48x96xf32>, tensor<48x96xf32>) {
  %0 = tkernel.kernel @first (%m : 48, %n : 96, %k : 64) reads(%a = %x : tensor<48x64xf32>, %b = %w : tensor<64x96xf32>) -> tensor<48x96xf32> {
    %1 = tkernel.load %a[%m, %k] : tensor<48x64xf32>
    %2 = tkernel.load %b[%k, %n] : tensor<64x96xf32>
    %3 = tkernel.contract %1, %2 over(%k) : f32
    tkernel.store %3, 0[%m, %n] : f32
  }
  %4 = tkernel.kernel @second (%m : 48, %n : 96, %k : 64) reads(%a = %x : tensor<48x64xf32>, %b = %v : tensor<64x96xf32>) -> tensor<48x96xf32> {
    %1 = tkernel.load %a[%m, %k] : tensor<48x64xf32>
    %2 = tkernel.load %b[%k, %n] : tensor<64x96xf32>
    %3 = tkernel.contract %1, %2 over(%k) : f32
    tkernel.store %3, 0[%m, %n] : f32
  }
  %5 = tgraph.constant dense<1.0> : tensor<64x96xf32>
  %6 = tkernel.kernel @constant (%m : 48, %n : 96, %k : 64) reads(%a = %x : tensor<48x64xf32>, %b = %5 : tensor<64x96xf32>) -> tensor<48x96xf32> {
    %1 = tkernel.load %a[%m, %k] : tensor<48x64xf32>
    %2 = tkernel.load %b[%k, %n] : tensor<64x96xf32>
    %3 = tkernel.contract %1, %2 over(%k) : f32
    tkernel.store %3, 0[%m, %n] : f32
  }
  return %0, %4, %6 : tensor<48x96xf32>, tensor<48x96xf32>, tensor<48x96xf32>
}
