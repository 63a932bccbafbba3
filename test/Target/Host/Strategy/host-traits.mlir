// The CPU's numbers are an option of the pass: printed as given, so that a pipeline can be run again.
// RUN: tensor-opt %s --pass-pipeline="builtin.module(kernel-schedule{traits=lanes=8,registers=16})" --dump-pass-pipeline 2>&1 | FileCheck %s
// RUN: not tensor-opt %s --kernel-schedule="traits=lane=8" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tensor-opt %s --kernel-schedule="traits=lanes" 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not tensor-opt %s --kernel-schedule="traits=l1Bytes=0" 2>&1 | FileCheck %s --check-prefix=RANGE

// CHECK: kernel-schedule{deterministic=false file= machine=host {{.*}}replace=false {{.*}}traits=lanes=8,registers=16}
// CHECK: split m = [m_o, m_i 32]
// UNKNOWN: error: option traits: a CPU has no trait 'lane'; did you mean 'lanes'? Known are lanes, registers, {{.*}} [T0501]
// VALUE: error: option traits: expected NAME=VALUE, found 'lanes' [T0501]
// RANGE: error: option traits: l1Bytes is '0', expected a positive integer [T0501]
func.func @relu(%x: tensor<100xf32>) -> tensor<100xf32> {
  %y = tkernel.kernel (%m : 100) reads(%a = %x : tensor<100xf32>) -> tensor<100xf32> {
    %zero = arith.constant 0.0 : f32
    %0 = tkernel.load %a[%m] : tensor<100xf32>
    %1 = arith.maximumf %0, %zero : f32
    tkernel.store %1, 0[%m] : f32
  }
  return %y : tensor<100xf32>
}
