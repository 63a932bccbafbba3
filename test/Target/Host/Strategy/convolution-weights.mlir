// RUN: tensor-opt %s --kernel-schedule=traits=lanes=16,registers=32,threads=1,l2Bytes=131072,l3BytesPerCycle=4 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tensor-run %t.mlir --compare=interpreter --quiet

// Weights that the second level has no room for are read once: channels alone are programs, and each has all lines.
// CHECK-LABEL: @main
// CHECK: split f = [f_o, {{.*}}grid [f_o], order [{{(f_b, )?(c_o, )?}}p{{[,_]}}
func.func @main(%x: tensor<96x7x7xf32>, %w: tensor<96x96x3x3xf32>) -> tensor<96x7x7xf32> {
  %y = tkernel.kernel @conv (%f : 96, %p : 7, %q : 7, %c : 96, %r : 3, %s : 3) reads(%in = %x : tensor<96x7x7xf32>, %weights = %w : tensor<96x96x3x3xf32>) -> tensor<96x7x7xf32> {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<96x7x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] : tensor<96x96x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  return %y : tensor<96x7x7xf32>
}
