// Sorting by pairs, by blocks and by digits, and random numbers, on every device.
// REQUIRES: compiler, opencl, vulkan
// RUN: tensor-run %s --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=opencl --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=vulkan --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-compile %s --target=cuda:sm_80 -o %t.twm
// CHECK-COUNT-10: : ok
func.func @main(%x: tensor<3x100xf32> {tgraph.name = "x"}, %y: tensor<5000x2xf32> {tgraph.name = "y"}, %z: tensor<2x900xf32> {tgraph.name = "z"}, %i: tensor<2x1500xi32> {tgraph.name = "i"},
                %l: tensor<1100xi64> {tgraph.name = "l"}, %key: tensor<ui64> {tgraph.name = "key"}, %at: tensor<ui64> {tgraph.name = "counter"})
    -> (tensor<3x100xi64> {tgraph.name = "pairs"}, tensor<20x2xi64> {tgraph.name = "blocks"}, tensor<2x900xi64> {tgraph.name = "digits"}, tensor<2x1500xi64> {tgraph.name = "integers"},
        tensor<1100xi64> {tgraph.name = "long"}, tensor<2x900xi64> {tgraph.name = "nan"}, tensor<3x7xui32> {tgraph.name = "bits"}, tensor<1001xf32> {tgraph.name = "uniform"}, tensor<1001xf32> {tgraph.name = "normal"}, tensor<9xf64> {tgraph.name = "double"}) {
  %0 = tgraph.arg_sort %x dim 1 first 100 : tensor<3x100xf32> -> tensor<3x100xi64>
  %1 = tgraph.arg_sort %y dim 0 descending first 20 : tensor<5000x2xf32> -> tensor<20x2xi64>
  %2 = tgraph.arg_sort %z dim 1 descending first 900 : tensor<2x900xf32> -> tensor<2x900xi64>
  // Many are equal.
  %seven = tgraph.constant dense<7> : tensor<2x1500xi32>
  %few = tgraph.rem %i, %seven : tensor<2x1500xi32>
  %3 = tgraph.arg_sort %few dim 1 first 1500 : tensor<2x1500xi32> -> tensor<2x1500xi64>
  %4 = tgraph.arg_sort %l dim 0 first 1100 : tensor<1100xi64> -> tensor<1100xi64>
  // Of negative numbers there is no logarithm.
  %log = tgraph.log %z : tensor<2x900xf32>
  %5 = tgraph.arg_sort %log dim 1 first 900 : tensor<2x900xf32> -> tensor<2x900xi64>
  %6 = tgraph.random bits %key, %at : tensor<ui64> -> tensor<3x7xui32>
  %7 = tgraph.random uniform %key, %at : tensor<ui64> -> tensor<1001xf32>
  %8 = tgraph.random normal %key, %at : tensor<ui64> -> tensor<1001xf32>
  %9 = tgraph.random normal %key, %at : tensor<ui64> -> tensor<9xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<3x100xi64>, tensor<20x2xi64>, tensor<2x900xi64>, tensor<2x1500xi64>, tensor<1100xi64>, tensor<2x900xi64>, tensor<3x7xui32>, tensor<1001xf32>, tensor<1001xf32>, tensor<9xf64>
}
