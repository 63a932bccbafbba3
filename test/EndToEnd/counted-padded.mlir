// Sizes that fall where data count more, and what fills a tensor up to a fixed size, at no elements, one, some and all.
// REQUIRES: compiler, opencl, vulkan
// RUN: sed -e 's/COUNT/0/' %s > %t.0.mlir
// RUN: sed -e 's/COUNT/1/' %s > %t.1.mlir
// RUN: sed -e 's/COUNT/5/' %s > %t.5.mlir
// RUN: sed -e 's/COUNT/8/' %s > %t.8.mlir
// RUN: tensor-run %t.0.mlir --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %t.1.mlir --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %t.5.mlir --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %t.8.mlir --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %t.1.mlir --device=opencl --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %t.1.mlir --device=vulkan --compare=interpreter --no-cache | FileCheck %s
// CHECK-COUNT-5: compare {{.*}}: ok
func.func @main(%x: tensor<8xf32> {tgraph.name = "x"})
    -> (tensor<?xf32, #tgraph.dims<[8 - N]>> {tgraph.name = "rest"}, tensor<f32> {tgraph.name = "left"}, tensor<8xf32> {tgraph.name = "padded"},
        tensor<?xf32, #tgraph.dims<[N]>> {tgraph.name = "first"}, tensor<f32> {tgraph.name = "behind"})
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  // COUNT more than there are of elements above a large number.
  %large = tgraph.constant dense<1.0e+30> : tensor<8xf32>
  %none = tgraph.compare gt, %x, %large : tensor<8xf32>
  %zeros = tgraph.cast %none : tensor<8xi1> to tensor<8xi64>
  %zero = tgraph.reduce add %zeros dims [0] : tensor<8xi64> -> tensor<i64>
  %count = tgraph.constant dense<COUNT> : tensor<i64>
  %n = tgraph.add %zero, %count : tensor<i64>
  %first = tgraph.prefix %x, %n dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  %one = tgraph.constant dense<-1.0> : tensor<1xf32>
  %rest = tgraph.expand %one : tensor<1xf32> -> tensor<?xf32, #tgraph.dims<[8 - N]>>
  %left = tgraph.reduce add %rest dims [0] : tensor<?xf32, #tgraph.dims<[8 - N]>> -> tensor<f32>
  %padded = tgraph.concat %first, %rest dim 0 : tensor<?xf32, #tgraph.dims<[N]>>, tensor<?xf32, #tgraph.dims<[8 - N]>> -> tensor<8xf32>
  // Padding alone is behind the count, in windows of one point too.
  %wide = tgraph.window add %first window [1] strides [1] dilations [1] pad_low [0] pad_high [1] : tensor<?xf32, #tgraph.dims<[N]>> -> tensor<?xf32, #tgraph.dims<[N + 1]>>
  %behind = tgraph.reduce add %wide dims [0] : tensor<?xf32, #tgraph.dims<[N + 1]>> -> tensor<f32>
  return %rest, %left, %padded, %first, %behind : tensor<?xf32, #tgraph.dims<[8 - N]>>, tensor<f32>, tensor<8xf32>, tensor<?xf32, #tgraph.dims<[N]>>, tensor<f32>
}
