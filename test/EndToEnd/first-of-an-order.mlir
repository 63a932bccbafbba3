// The first of an order is found as the greatest or least is, in one kernel: NaN is the greatest of all, which comes
// last where the least does, and of equals the first one is taken.
// REQUIRES: compiler
// RUN: tensor-run %s --no-cache --compare=interpreter | FileCheck %s
// RUN: tensor-compile %s --target=host:x86-64-v3 --option=threads=1 --to=schedule | FileCheck %s --check-prefix=KERNELS
// CHECK-COUNT-5: : ok
// KERNELS-COUNT-3: = tkernel.kernel @
// KERNELS-NOT: = tkernel.kernel @
func.func @main(%x: tensor<16x40xf32> {tgraph.name = "x"}, %i: tensor<16x40xui8> {tgraph.name = "i"})
    -> (tensor<16x1xi64> {tgraph.name = "a"}, tensor<16x1xi64> {tgraph.name = "b"}, tensor<1x40xi64> {tgraph.name = "c"},
        tensor<16x1xi64> {tgraph.name = "d"}, tensor<16x1xi64> {tgraph.name = "e"}) {
  %0 = tgraph.sqrt %x : tensor<16x40xf32>
  %1 = tgraph.round %x : tensor<16x40xf32>
  %h = tgraph.cast %x : tensor<16x40xf32> to tensor<16x40xbf16>
  %a = tgraph.arg_sort %0 dim 1 descending first 1 : tensor<16x40xf32> -> tensor<16x1xi64>
  %b = tgraph.arg_sort %0 dim 1 first 1 : tensor<16x40xf32> -> tensor<16x1xi64>
  %c = tgraph.arg_sort %1 dim 0 first 1 : tensor<16x40xf32> -> tensor<1x40xi64>
  %d = tgraph.arg_sort %i dim 1 descending first 1 : tensor<16x40xui8> -> tensor<16x1xi64>
  %e = tgraph.arg_sort %h dim 1 first 1 : tensor<16x40xbf16> -> tensor<16x1xi64>
  return %a, %b, %c, %d, %e : tensor<16x1xi64>, tensor<16x1xi64>, tensor<1x40xi64>, tensor<16x1xi64>, tensor<16x1xi64>
}
