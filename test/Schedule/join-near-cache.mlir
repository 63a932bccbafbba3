// REQUIRES: compiler
// A norm of tensors as large together as the last cache of this chip is not priced as if all of them came from memory at each
// call, beside parts that stay in there.
// RUN: tensor-compile %s --target=host:znver4 --option=threads=1 --explain=fusion -o %t.twm | FileCheck %s
// RUN: tensor-compile %s --target=host:znver4 --option=threads=2 --explain=fusion -o %t.twm | FileCheck %s
// CHECK: 1 kernels, 1 launches
func.func @main(%x: tensor<4096x1024xf32>, %w: tensor<1024xf32>) -> tensor<4096x1024xf32> {
  %s = tgraph.mul %x, %x : tensor<4096x1024xf32>
  %r = tgraph.reduce add %s dims [1] : tensor<4096x1024xf32> -> tensor<4096xf32>
  %c = tgraph.constant dense<9.765625e-04> : tensor<4096xf32>
  %e = tgraph.constant dense<1.0e-05> : tensor<4096xf32>
  %m = tgraph.mul %r, %c : tensor<4096xf32>
  %a = tgraph.add %m, %e : tensor<4096xf32>
  %q = tgraph.rsqrt %a : tensor<4096xf32>
  %q1 = tgraph.reshape %q : tensor<4096xf32> -> tensor<4096x1xf32>
  %q2 = tgraph.expand %q1 : tensor<4096x1xf32> -> tensor<4096x1024xf32>
  %n = tgraph.mul %x, %q2 : tensor<4096x1024xf32>
  %w1 = tgraph.reshape %w : tensor<1024xf32> -> tensor<1x1024xf32>
  %w2 = tgraph.expand %w1 : tensor<1x1024xf32> -> tensor<4096x1024xf32>
  %y = tgraph.mul %n, %w2 : tensor<4096x1024xf32>
  return %y : tensor<4096x1024xf32>
}
