// Weights that a step changes: each element is read where it is stored, so no second copy of them is made.
// RUN: tensor-run %s --steps=20 --compare=interpreter | FileCheck %s
// CHECK-COUNT-2: compare {{.*}}: ok
// RUN: tensor-run %s --check-every-kernel | FileCheck %s --check-prefix=KERNELS
// KERNELS: kernels {{[1-9][0-9]*}} launches checked, 0 differ
// RUN: tensor-compile %s -o %t.twm && tensor-translate --describe %t.twm | FileCheck %s --check-prefix=MODULE
// MODULE-NOT: copy
func.func @main(%x: tensor<16x32xf32> {tgraph.name = "x"}, %w: tensor<32x8xf32> {tgraph.name = "w", tgraph.alias = 1 : i64})
    -> (tensor<f32> {tgraph.name = "loss"}, tensor<32x8xf32> {tgraph.name = "w1"}) {
  %y = tgraph.contract "ik,kj->ij" %x, %w : tensor<16x32xf32>, tensor<32x8xf32> -> tensor<16x8xf32>
  %square = tgraph.mul %y, %y : tensor<16x8xf32>
  %loss = tgraph.reduce add %square dims [0, 1] : tensor<16x8xf32> -> tensor<f32>
  %g = tgraph.contract "ik,ij->kj" %x, %y : tensor<16x32xf32>, tensor<16x8xf32> -> tensor<32x8xf32>
  %rate = tgraph.constant dense<0.01> : tensor<32x8xf32>
  %step = tgraph.mul %g, %rate : tensor<32x8xf32>
  %w1 = tgraph.sub %w, %step : tensor<32x8xf32>
  return %loss, %w1 : tensor<f32>, tensor<32x8xf32>
}
