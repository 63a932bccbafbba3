// The pass makes the kernels that schedules ask for and schedules those, until there are none: as do its parts by hand.
// RUN: tensor-opt %s --kernel-schedule --kernel-stage-global --kernel-schedule --kernel-stage-global --kernel-schedule -o %t.apart
// RUN: tensor-opt %s --kernel-schedule=make-kernels=true | diff %t.apart -
// RUN: tensor-opt %s --kernel-schedule=make-kernels=true | FileCheck %s

// It writes down what it did where it is asked to: of the kernel that packs whose it is, of the other the whole list.
// RUN: tensor-opt %s --kernel-schedule="make-kernels=true record=true" -o %t.mlir
// RUN: FileCheck %s --check-prefix=RECORD < %t.mlir
// RUN: tensor-opt %t.mlir | FileCheck %s --check-prefix=RECORD

// CHECK: tkernel.kernel @product_pack
// CHECK-SAME: attributes {schedule = #tkernel.schedule<
// CHECK: tkernel.kernel @product (
// CHECK-SAME: attributes {schedule = #tkernel.schedule<
// CHECK-NOT: at kernel global

// RECORD: tkernel.kernel @product_pack
// RECORD-SAME: record = {candidates = [{cycles = {{[0-9.e+]+}} : f64, generator = "{{[a-z]+}}"
// RECORD-SAME: kernel = "product (m 256, n 512, k 512)", made, schedule = #tkernel.schedule<
// RECORD: tkernel.kernel @product (
// RECORD-SAME: record = {candidates = [{cycles = {{[0-9.e+]+}} : f64, generator = "contraction", schedule = #tkernel.schedule<[[LIST:[^>]*at kernel global[^>]*]]>, terms = {{\[}}["core",
// RECORD-SAME: kernel = "product (m 256, n 512, k 512)", schedule = #tkernel.schedule<[[LIST]]>}
func.func @main(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %w = tgraph.constant #tgraph.file<"weights", 0, 1048576> : tensor<512x512xf32>
  %0 = tkernel.kernel @product (%m : 256, %n : 512, %k : 512) reads(%a = %x : tensor<256x512xf32>, %b = %w : tensor<512x512xf32>) -> tensor<256x512xf32> {
    %1 = tkernel.load %a[%m, %k] : tensor<256x512xf32>
    %2 = tkernel.load %b[%k, %n] : tensor<512x512xf32>
    %3 = tkernel.contract %1, %2 over(%k) : f32
    tkernel.store %3, 0[%m, %n] : f32
  }
  return %0 : tensor<256x512xf32>
}
