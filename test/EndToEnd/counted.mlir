// Results of sizes that data decide, exactly, on every device; the interpreter has no masks.
// REQUIRES: compiler, opencl, vulkan
// RUN: tensor-run %s --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=opencl --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=opencl --target=opencl --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=vulkan --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-compile %s --target=cuda:sm_80 -o %t.twm
// RUN: tensor-compile %s --target=amd:gfx1100 -o %t.twm
// CHECK-COUNT-5: compare {{.*}}: ok
// RUN: tensor-compile %s -o %t.twm
// RUN: tensor-translate --describe %t.twm | FileCheck %s --check-prefix=MODULE
// MODULE: result 0 found: i64[2, 300], dimension 1 counted by result 5
// MODULE: result 1 rows: f32[20, 15], dimension 0 counted by result 6
// MODULE: result 5 N: i64[]
// MODULE: result 6 M: i64[]
func.func @main(%x: tensor<20x15xf32> {tgraph.name = "x"}, %c: tensor<20xi1> {tgraph.name = "c"})
    -> (tensor<2x?xi64, #tgraph.dims<[2, N]>> {tgraph.name = "found"}, tensor<?x15xf32, #tgraph.dims<[M, 15]>> {tgraph.name = "rows"},
        tensor<15xf32> {tgraph.name = "sum"}, tensor<?x?xf32, #tgraph.dims<[M, M]>> {tgraph.name = "products"},
        tensor<?xf32, #tgraph.dims<[N]>> {tgraph.name = "values"})
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 300, step = 1>, M = #tgraph.symbol<min = 0, max = 20, step = 1>}} {
  // The coordinates of elements above zero.
  %zero = tgraph.constant dense<0.0> : tensor<20x15xf32>
  %above = tgraph.compare gt, %x, %zero : tensor<20x15xf32>
  %flat = tgraph.reshape %above : tensor<20x15xi1> -> tensor<300xi1>
  %ones = tgraph.cast %flat : tensor<300xi1> to tensor<300xi64>
  %ends = tgraph.scan add %ones dim 0 : tensor<300xi64>
  %n = tgraph.reduce add %ones dims [0] : tensor<300xi64> -> tensor<i64>
  %one = tgraph.constant dense<1> : tensor<300xi64>
  %nowhere = tgraph.constant dense<-1> : tensor<300xi64>
  %last = tgraph.sub %ends, %one : tensor<300xi64>
  %at = tgraph.select %flat, %last, %nowhere : tensor<300xi64>
  %i = tgraph.iota dim 0 : tensor<20x15xi64>
  %j = tgraph.iota dim 1 : tensor<20x15xi64>
  %fi = tgraph.reshape %i : tensor<20x15xi64> -> tensor<300x1xi64>
  %fj = tgraph.reshape %j : tensor<20x15xi64> -> tensor<300x1xi64>
  %coordinates = tgraph.concat %fi, %fj dim 1 : tensor<300x1xi64>, tensor<300x1xi64> -> tensor<300x2xi64>
  %none = tgraph.constant dense<0> : tensor<300x2xi64>
  %packed = tgraph.scatter %none, %coordinates at %at {axis = 0 : i64} : tensor<300x2xi64>, tensor<300x2xi64> at tensor<300xi64> -> tensor<300x2xi64>
  %columns = tgraph.permute %packed [1, 0] : tensor<300x2xi64> -> tensor<2x300xi64>
  %0 = tgraph.prefix %columns, %n dim 1 : tensor<2x300xi64> -> tensor<2x?xi64, #tgraph.dims<[2, N]>>
  %p = tgraph.prefix %packed, %n dim 0 : tensor<300x2xi64> -> tensor<?x2xi64, #tgraph.dims<[N, 2]>>
  %pi = tgraph.slice %p offsets [0, 0] sizes [-1, 1] strides [1, 1] : tensor<?x2xi64, #tgraph.dims<[N, 2]>> -> tensor<?x1xi64, #tgraph.dims<[N, 1]>>
  %pj = tgraph.slice %p offsets [0, 1] sizes [-1, 1] strides [1, 1] : tensor<?x2xi64, #tgraph.dims<[N, 2]>> -> tensor<?x1xi64, #tgraph.dims<[N, 1]>>
  %si = tgraph.reshape %pi : tensor<?x1xi64, #tgraph.dims<[N, 1]>> -> tensor<?xi64, #tgraph.dims<[N]>>
  %sj = tgraph.reshape %pj : tensor<?x1xi64, #tgraph.dims<[N, 1]>> -> tensor<?xi64, #tgraph.dims<[N]>>
  %4 = tgraph.gather %x, %si, %sj {axis = 0 : i64} : tensor<20x15xf32>, tensor<?xi64, #tgraph.dims<[N]>>, tensor<?xi64, #tgraph.dims<[N]>> -> tensor<?xf32, #tgraph.dims<[N]>>
  // The rows that a condition keeps.
  %co = tgraph.cast %c : tensor<20xi1> to tensor<20xi64>
  %ce = tgraph.scan add %co dim 0 : tensor<20xi64>
  %m = tgraph.reduce add %co dims [0] : tensor<20xi64> -> tensor<i64>
  %c1 = tgraph.constant dense<1> : tensor<20xi64>
  %cn = tgraph.constant dense<-1> : tensor<20xi64>
  %cl = tgraph.sub %ce, %c1 : tensor<20xi64>
  %ca = tgraph.select %c, %cl, %cn : tensor<20xi64>
  %ci = tgraph.iota dim 0 : tensor<20xi64>
  %cz = tgraph.constant dense<0> : tensor<20xi64>
  %from = tgraph.scatter %cz, %ci at %ca {axis = 0 : i64} : tensor<20xi64>, tensor<20xi64> at tensor<20xi64> -> tensor<20xi64>
  %kept = tgraph.gather %x, %from {axis = 0 : i64} : tensor<20x15xf32>, tensor<20xi64> -> tensor<20x15xf32>
  %1 = tgraph.prefix %kept, %m dim 0 : tensor<20x15xf32> -> tensor<?x15xf32, #tgraph.dims<[M, 15]>>
  %2 = tgraph.reduce add %1 dims [0] : tensor<?x15xf32, #tgraph.dims<[M, 15]>> -> tensor<15xf32>
  %3 = tgraph.contract "ik,jk->ij" %1, %1 : tensor<?x15xf32, #tgraph.dims<[M, 15]>>, tensor<?x15xf32, #tgraph.dims<[M, 15]>> -> tensor<?x?xf32, #tgraph.dims<[M, M]>>
  return %0, %1, %2, %3, %4 : tensor<2x?xi64, #tgraph.dims<[2, N]>>, tensor<?x15xf32, #tgraph.dims<[M, 15]>>, tensor<15xf32>, tensor<?x?xf32, #tgraph.dims<[M, M]>>, tensor<?xf32, #tgraph.dims<[N]>>
}
