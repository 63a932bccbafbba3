// Integers of 32 bits, and places, that are compared with constants as integers of 64 bits, on every device.
// REQUIRES: compiler, opencl, vulkan
// RUN: tensor-run %s --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=opencl --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=vulkan --compare=interpreter --no-cache | FileCheck %s
// CHECK-COUNT-3: compare {{.*}}: ok
func.func @main(%k: tensor<64xi32> {tgraph.name = "k"}) -> (tensor<64xi1> {tgraph.name = "less"}, tensor<64xi1> {tgraph.name = "greater"}, tensor<64xi1> {tgraph.name = "behind"}) {
  %w = tgraph.cast %k : tensor<64xi32> to tensor<64xi64>
  %two = tgraph.constant dense<2> : tensor<64xi64>
  %less = tgraph.compare lt, %w, %two : tensor<64xi64>
  %greater = tgraph.compare gt, %w, %two : tensor<64xi64>
  %i = tgraph.iota dim 0 : tensor<64xi64>
  %seven = tgraph.constant dense<7> : tensor<64xi64>
  %behind = tgraph.compare ge, %i, %seven : tensor<64xi64>
  return %less, %greater, %behind : tensor<64xi1>, tensor<64xi1>, tensor<64xi1>
}
