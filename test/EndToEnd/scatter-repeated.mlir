// Updates that come to an element several times without varying, and positions that do not either: each of them counts.
// REQUIRES: compiler, opencl, vulkan
// RUN: tensor-run %s --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=opencl --target=opencl --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=vulkan --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=amd-emulated:gfx1100 --compare=interpreter --no-cache | FileCheck %s
// CHECK-COUNT-3: compare {{.*}} max error {{[0-9.e-]+}} {{.*}}: ok
func.func @main(%i: tensor<20xi64> {tgraph.name = "i"}, %u: tensor<20xf32> {tgraph.name = "u"})
    -> (tensor<80xf32> {tgraph.name = "counts"}, tensor<80xf32> {tgraph.name = "sum"}, tensor<80xf32> {tgraph.name = "product"}) {
  %m = tgraph.constant dense<80> : tensor<20xi64>
  %p0 = tgraph.mod %i, %m : tensor<20xi64>
  %p1 = tgraph.reshape %p0 : tensor<20xi64> -> tensor<20x1xi64>
  %p = tgraph.expand %p1 : tensor<20x1xi64> -> tensor<20x3xi64>
  %u1 = tgraph.reshape %u : tensor<20xf32> -> tensor<20x1xf32>
  %v = tgraph.expand %u1 : tensor<20x1xf32> -> tensor<20x3xf32>
  %zero = tgraph.constant dense<0.0> : tensor<80xf32>
  %one = tgraph.constant dense<1.0> : tensor<80xf32>
  %ones = tgraph.constant dense<1.0> : tensor<20x3xf32>
  %0 = tgraph.scatter add %zero, %ones at %p {axis = 0 : i64} : tensor<80xf32>, tensor<20x3xf32> at tensor<20x3xi64> -> tensor<80xf32>
  %1 = tgraph.scatter add %zero, %v at %p {axis = 0 : i64} : tensor<80xf32>, tensor<20x3xf32> at tensor<20x3xi64> -> tensor<80xf32>
  %2 = tgraph.scatter mul %one, %v at %p {axis = 0 : i64} : tensor<80xf32>, tensor<20x3xf32> at tensor<20x3xi64> -> tensor<80xf32>
  return %0, %1, %2 : tensor<80xf32>, tensor<80xf32>, tensor<80xf32>
}
