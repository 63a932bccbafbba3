// A scatter of no updates is what it updates, of a size that is known and of one that a call settles, on every device.
// REQUIRES: compiler, opencl, vulkan
// RUN: tensor-run %s --symbol=N=0 --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --symbol=N=0 --device=opencl --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --symbol=N=0 --device=vulkan --compare=interpreter --no-cache | FileCheck %s
// CHECK-COUNT-4: compare {{.*}} max error 0 {{.*}}: ok
func.func @main(%x: tensor<3x2xf32> {tgraph.name = "x"}, %u: tensor<0x2xf32> {tgraph.name = "u"}, %i: tensor<0xi64> {tgraph.name = "i"},
                %s: tensor<3x2xf32> {tgraph.alias = 2 : i64, tgraph.name = "s"}, %v: tensor<?x2xf32, #tgraph.dims<[N, 2]>> {tgraph.name = "v"}, %j: tensor<?xi64, #tgraph.dims<[N]>> {tgraph.name = "j"})
    -> (tensor<3x2xf32> {tgraph.name = "last"}, tensor<3x2xf32> {tgraph.name = "sum"}, tensor<3x2xf32> {tgraph.name = "state"}, tensor<3x2xf32> {tgraph.name = "open"})
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  %0 = tgraph.scatter %x, %u at %i {axis = 0 : i64} : tensor<3x2xf32>, tensor<0x2xf32> at tensor<0xi64> -> tensor<3x2xf32>
  %1 = tgraph.scatter add %x, %u at %i {axis = 0 : i64} : tensor<3x2xf32>, tensor<0x2xf32> at tensor<0xi64> -> tensor<3x2xf32>
  %2 = tgraph.scatter %s, %u at %i {axis = 0 : i64} : tensor<3x2xf32>, tensor<0x2xf32> at tensor<0xi64> -> tensor<3x2xf32>
  %3 = tgraph.scatter %x, %v at %j {axis = 0 : i64} : tensor<3x2xf32>, tensor<?x2xf32, #tgraph.dims<[N, 2]>> at tensor<?xi64, #tgraph.dims<[N]>> -> tensor<3x2xf32>
  return %0, %1, %2, %3 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}
