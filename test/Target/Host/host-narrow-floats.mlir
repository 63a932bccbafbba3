// What is computed in bf16 is computed in f32; a module without such elements stays as it is.
// RUN: tensor-opt %s --host-narrow-floats | FileCheck %s
// RUN: tensor-opt %S/host-to-llvm.mlir --host-narrow-floats | FileCheck %s --check-prefix=WITHOUT

// CHECK-LABEL: func.func @narrow
// CHECK-NOT: bf16
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NOT: bf16
// CHECK: return
func.func @narrow(%x: f32, %y: f32) -> f32 {
  %a = arith.truncf %x : f32 to bf16
  %b = arith.truncf %y : f32 to bf16
  %sum = arith.addf %a, %b : bf16
  %wide = arith.extf %sum : bf16 to f32
  return %wide : f32
}

// WITHOUT-LABEL: func.func @sum
// WITHOUT: math.fma
