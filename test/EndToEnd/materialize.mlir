// REQUIRES: compiler
// Memory asked for in the middle of a tensor program, beside ops that move elements.
// RUN: tensor-run %s --no-cache --compare=interpreter | FileCheck %s
// RUN: tensor-compile %s --to=kernel | FileCheck %s --check-prefix=KERNELS
// CHECK: compare {{.*}}: ok
// KERNELS-COUNT-2: tkernel.kernel
func.func @main(%x: tensor<4x6xf32>) -> tensor<12x2xf32> {
  %0 = tgraph.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = tview.materialize %0 : tensor<6x4xf32>
  %2 = tgraph.relu %1 : tensor<6x4xf32>
  %3 = tgraph.reshape %2 : tensor<6x4xf32> -> tensor<12x2xf32>
  return %3 : tensor<12x2xf32>
}
