// Products of narrow floats without dot instructions are products of f32 once their operands are extended.
// RUN: tensor-opt %s --kernel-schedule | FileCheck %s
// RUN: tensor-opt %s --kernel-schedule --kernel-stage-global | FileCheck %s --check-prefix=PANELS

// What is packed is converted meanwhile: panels are of f32.
// CHECK-LABEL: @f16
// CHECK: schedule = #tkernel.schedule<[widen sum = [lhs_wide, rhs_wide], split m = {{.*}} stage rhs_wide as ({{.*}}) at kernel global, stage lhs_wide as ({{.*}}) at grid local
// PANELS-LABEL: @f16
// PANELS: tkernel.kernel @gemm_pack
// PANELS: -> tensor<{{.*}}xf32>
// PANELS: arith.extf
// PANELS: tkernel.kernel @gemm (
// PANELS: arith.extf
// PANELS: tkernel.contract {{.*}} : f32
func.func @f16(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>) -> tensor<512x512xf32> {
  %y = tkernel.kernel @gemm (%m : 512, %n : 512, %k : 512) reads(%a = %x : tensor<512x512xf16>, %b = %w : tensor<512x512xf16>) -> tensor<512x512xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<512x512xf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<512x512xf16>
    %2 = tkernel.contract %0, %1 over (%k) : f16, f16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<512x512xf32>
}

// CHECK-LABEL: @bf16
// CHECK: widen sum = [lhs_wide, rhs_wide]
func.func @bf16(%x: tensor<512x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<512x512xf32> {
  %y = tkernel.kernel (%m : 512, %n : 512, %k : 512) reads(%a = %x : tensor<512x512xbf16>, %b = %w : tensor<512x512xbf16>) -> tensor<512x512xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<512x512xbf16>
    %1 = tkernel.load %b[%k, %n] : tensor<512x512xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<512x512xf32>
}
