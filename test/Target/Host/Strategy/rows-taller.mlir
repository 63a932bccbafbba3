// A function of what a norm gives waits until the lanes of two sums are combined, and for a root and a division: a tile of
// more rows than hide the latency of an addition keeps the core busy meanwhile. A norm alone has no function that would wait.
// RUN: tensor-compile %s --target=host:znver5 --option=threads=1 --to=schedule | FileCheck %s
// RUN: tensor-run %s --no-cache --compare=interpreter | FileCheck %s --check-prefix=SAME
// CHECK: -> tensor<256x32xf32> attributes {schedule = #tkernel.schedule<[split i = [i_o, i_i 8], split j = [j_o, j_i 16], order [i_o, j_o], tile [i_i, j_i]]>}
// CHECK: -> tensor<256x48xf32> attributes {schedule = #tkernel.schedule<[split i = [i_o, i_i 32], split j = [j_o, j_i 16], grid [i_o], order [j_o], tile [i_i, j_i]]>}
// SAME-COUNT-2: compare {{.*}}: ok
func.func @main(%x: tensor<256x32xf32>, %y: tensor<256x48xf32>) -> (tensor<256x32xf32>, tensor<256x48xf32>) {
  %0 = tgraph.layer_norm %x dims [1] eps 1.0e-05 : tensor<256x32xf32>
  %1 = tgraph.layer_norm %y dims [1] eps 1.0e-05 : tensor<256x48xf32>
  %2 = tgraph.sigmoid %1 : tensor<256x48xf32>
  return %0, %2 : tensor<256x32xf32>, tensor<256x48xf32>
}
