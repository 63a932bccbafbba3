// RUN: tensor-opt %s --kernel-schedule=traits=threads=1 | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// Maxima behind a guard have smaller blocks than others: single vectors of two rows.
// CHECK: @pool_of_pad {{.*}}split p = [p_o, p_i 2], split q = [q_o, q_i 16], order [c, p_o, q_o, r, s]
// CHECK: @pool {{.*}}split p = [p_o, p_i 2], order [c, p_o, r, s], tile [p_i, q]
func.func @main(%x: tensor<3x54x54xf32>) -> (tensor<3x28x28xf32>, tensor<3x26x26xf32>) {
  %0 = tkernel.kernel @pool_of_pad (%c : 3, %p : 28, %q : 28, %r : 3, %s : 3) reads(%a = %x : tensor<3x54x54xf32>) -> tensor<3x28x28xf32> {
    %v = tkernel.load %a through #tview.map<affine_map<(d0, d1, d2, d3, d4) -> (d0, 2 * d1 + d3 - 2, 2 * d2 + d4 - 2)>,
        [(d0, d1, d2, d3, d4) : (2 * d1 + d3 - 1 ge 0, 2 * d2 + d4 - 1 ge 0, 56 - 2 * d1 - d3 ge 0, 56 - 2 * d2 - d4 ge 0) else 0xFF800000 : f32], else 0.0 : f32>(%c, %p, %q, %r, %s) : tensor<3x54x54xf32>
    %m = tkernel.reduce maximumf %v over (%r, %s) : f32
    tkernel.store %m, 0[%c, %p, %q] : f32
  }
  %1 = tkernel.kernel @pool (%c : 3, %p : 26, %q : 26, %r : 3, %s : 3) reads(%a = %x : tensor<3x54x54xf32>) -> tensor<3x26x26xf32> {
    %v = tkernel.load %a[%c, 2 * %p + %r, 2 * %q + %s] : tensor<3x54x54xf32>
    %m = tkernel.reduce maximumf %v over (%r, %s) : f32
    tkernel.store %m, 0[%c, %p, %q] : f32
  }
  return %0, %1 : tensor<3x28x28xf32>, tensor<3x26x26xf32>
}
