// Sums of a sweep wait in memory, and a part of eight steps is added to them while the next one is multiplied, if what one part writes
// has registers to be renamed to: of 4 x 16 sums it does on Zen 3, of the 6 x 16 that twelve registers hold it does not.
// RUN: tensor-compile %s --target=host:znver3 --option=threads=1 --to=schedule | FileCheck %s
// RUN: tensor-run %s --option=threads=1 --no-cache --compare=interpreter | FileCheck %s --check-prefix=SAME
// CHECK: split m = [m_o, m_r 4], split n = [n_o, n_l 16], split k = [k_o, k_i 8], order [k_o, n_o, m_o, k_i], tile [m_r, n_l]
// SAME: compare {{.*}}: ok
func.func @main(%a: tensor<16x768xf32>, %b: tensor<768x768xf32>) -> tensor<16x768xf32> {
  %y = tgraph.contract "mk,kn->mn" %a, %b : tensor<16x768xf32>, tensor<768x768xf32> -> tensor<16x768xf32>
  return %y : tensor<16x768xf32>
}
