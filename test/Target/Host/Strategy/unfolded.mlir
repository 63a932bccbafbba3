// RUN: tensor-compile %s --target=host:x86-64-v4 --option=threads=1 --explain -o %t.twm | FileCheck %s
// RUN: tensor-compile %s --target=host:x86-64-v3 --option=threads=1 --explain -o %t.twm | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// The gradient of weights by small pictures: what windows see of all pictures is a panel, whose rows are as long as those
// of the weights; so these are neither read nor written a window at a time, 3 by 3 elements apart from the next channel's.
// CHECK: gradient (o 96, npq 864, crs 64)
// CHECK: strategy unfolded
// CHECK: <[merge npq = [n, p, q], merge crs = [c, r, s], {{.*}} stage input as (
func.func @main(%m: tensor<96x96x3x3xf32>, %x: tensor<16x96x2x2xf32>, %g: tensor<96x16x2x2xf32>) -> tensor<96x96x3x3xf32> {
  %y = tkernel.kernel @gradient (%o : 96, %n : 96, %p : 3, %q : 3, %c : 16, %r : 2, %s : 2) reads(%moments = %m : tensor<96x96x3x3xf32>, %in = %x : tensor<16x96x2x2xf32>, %weights = %g : tensor<96x16x2x2xf32>) -> tensor<96x96x3x3xf32> {
    %decay = arith.constant 0.9 : f32
    %0 = tkernel.load %moments[%o, %n, %p, %q] : tensor<96x96x3x3xf32>
    %1 = arith.mulf %0, %decay : f32
    %2 = tkernel.load %in[%c, %n, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<16x96x2x2xf32>
    %3 = tkernel.load %weights[%o, %c, %r, %s] : tensor<96x16x2x2xf32>
    %4 = tkernel.contract %2, %3 over (%c, %r, %s) : f32
    %5 = arith.addf %1, %4 : f32
    tkernel.store %5, 0[%o, %n, %p, %q] : f32
  }
  return %y : tensor<96x96x3x3xf32>
}
