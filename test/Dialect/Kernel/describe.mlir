// RUN: tensor-compile %s -o %t.twm --target=host --report 2>&1 | FileCheck %s

// 4 * 8 * 16 products and sums, 4 * 8 sums with the bias; 4 bytes for each of 64 + 128 + 8 + 32 elements.
// CHECK: kernel: launches, programs, flops, bytes, recompute factor, axes, schedule
// CHECK: contract_add: 1, {{[0-9]+}}, 1056, 928, 1, [m 4, n 8, k 16], #tkernel.schedule<
func.func @main(%x: tensor<4x16xf32> {tgraph.name = "x"}, %w: tensor<16x8xf32> {tgraph.name = "w"},
    %b: tensor<8xf32> {tgraph.name = "b"}) -> (tensor<4x8xf32> {tgraph.name = "y"}) {
  %0 = tgraph.contract "mk,kn->mn" %x, %w : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  %1 = tgraph.reshape %b : tensor<8xf32> -> tensor<1x8xf32>
  %2 = tgraph.expand %1 : tensor<1x8xf32> -> tensor<4x8xf32>
  %3 = tgraph.add %0, %2 : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}
