// Pools with channels last: blocks of a line's pixels are loops of its program, of which the first and the last iteration
// alone see borders.
// RUN: tensor-compile %s --target=host:znver4 --option=threads=1 --to=schedule | FileCheck %s
// RUN: tensor-run %s --target=host:x86-64-v3 --compare=interpreter --quiet --no-cache
// RUN: tensor-run %s --compare=interpreter --quiet --no-cache
// CHECK: grid [p], order [q{{[_o]*}}, c_o, r, s], tile [{{(q_i, )?}}c_i], unroll r, unroll s
func.func @main(%x: tensor<1x55x57x37xf32>) -> tensor<1x28x29x37xf32> {
  %y = tkernel.kernel @max_pool (%n : 1, %p : 28, %q : 29, %c : 37, %r : 3, %s : 3) reads(%a = %x : tensor<1x55x57x37xf32>) -> tensor<1x28x29x37xf32> {
    %v = tkernel.load %a[%n, 2 * %p + %r - 1, 2 * %q + %s - 1, %c] else 0xFF800000 : tensor<1x55x57x37xf32>
    %m = tkernel.reduce maximumf %v over (%r, %s) : f32
    tkernel.store %m, 0[%n, %p, %q, %c] : f32
  }
  return %y : tensor<1x28x29x37xf32>
}
