// RUN: tensor-compile %s --target=host:x86-64-v4 --explain -o %t.twm | FileCheck %s --check-prefixes=CHECK,COLUMNS
// RUN: tensor-compile %s --target=host:x86-64-v3 --explain -o %t.twm | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// Borders that are left out leave no guards in loops and no spills in the innermost ones. Where all pixels of a line are
// in the tile, columns are left out too. With --deterministic nothing is.
// CHECK: skip r
// COLUMNS: skip s
// CHECK: strategy convolution
// CHECK: guards {{.*}}, 0 in loops
// CHECK-NEXT: spills {{[0-9]+}}, 0 in innermost loops
// RUN: tensor-compile %s --target=host:x86-64-v4 --deterministic --explain -o %t.twm | FileCheck %s --check-prefix=EXACT
// EXACT-NOT: skip
// EXACT: strategy convolution
func.func @main(%x: tensor<1x64x7x7xf32>) -> tensor<1x96x7x7xf32> {
  %w = tgraph.constant dense<0.125> : tensor<96x64x3x3xf32>
  %y = tkernel.kernel @conv (%n : 1, %f : 96, %p : 7, %q : 7, %c : 64, %r : 3, %s : 3) reads(%in = %x : tensor<1x64x7x7xf32>, %weights = %w : tensor<96x64x3x3xf32>) -> tensor<1x96x7x7xf32> {
    %0 = tkernel.load %in[%n, %c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<1x64x7x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] : tensor<96x64x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }
  return %y : tensor<1x96x7x7xf32>
}
