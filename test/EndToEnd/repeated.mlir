// What is the same along an axis of the result is computed once, on every device.
// REQUIRES: compiler, opencl, vulkan
// RUN: tensor-run %s --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=opencl --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=vulkan --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %S/Inputs/dead-results.mlir --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %S/Inputs/dead-results.mlir --device=opencl --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %S/Inputs/dead-results.mlir --device=vulkan --compare=interpreter --no-cache | FileCheck %s
// CHECK-COUNT-3: : ok
func.func @main(%x: tensor<97xf32> {tgraph.name = "x"}, %m: tensor<200x64xf32> {tgraph.name = "m"})
    -> (tensor<50xf32> {tgraph.name = "repeated"}, tensor<200x7xf32> {tgraph.name = "inner"}, tensor<97x97xi1> {tgraph.name = "less"}) {
  %r = tgraph.reshape %x : tensor<97xf32> -> tensor<1x97xf32>
  %e = tgraph.expand %r : tensor<1x97xf32> -> tensor<50x97xf32>
  %t = tgraph.tanh %e : tensor<50x97xf32>
  %repeated = tgraph.reduce add %t dims [1] : tensor<50x97xf32> -> tensor<50xf32>
  %mr = tgraph.reshape %m : tensor<200x64xf32> -> tensor<200x1x64xf32>
  %me = tgraph.expand %mr : tensor<200x1x64xf32> -> tensor<200x7x64xf32>
  %mt = tgraph.exp %me : tensor<200x7x64xf32>
  %inner = tgraph.reduce max %mt dims [2] : tensor<200x7x64xf32> -> tensor<200x7xf32>
  %c = tgraph.reshape %x : tensor<97xf32> -> tensor<97x1xf32>
  %ce = tgraph.expand %c : tensor<97x1xf32> -> tensor<97x97xf32>
  %re = tgraph.expand %r : tensor<1x97xf32> -> tensor<97x97xf32>
  %gt = tgraph.compare gt, %re, %ce : tensor<97x97xf32>
  %lt = tgraph.compare lt, %ce, %re : tensor<97x97xf32>
  %less = tgraph.and %gt, %lt : tensor<97x97xi1>
  return %repeated, %inner, %less : tensor<50xf32>, tensor<200x7xf32>, tensor<97x97xi1>
}
