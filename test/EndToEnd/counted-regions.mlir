// What is counted in iterations and branches, as often as was counted, and along what is counted: windows, norms, sorts, scans from the end.
// REQUIRES: compiler, opencl, vulkan
// RUN: tensor-run %s --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=opencl --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=vulkan --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-compile %s --target=cuda:sm_80 -o %t.twm
// CHECK-COUNT-11: compare {{.*}}: ok
func.func @main(%x: tensor<300x7xf32> {tgraph.name = "x"}, %z: tensor<40xf32> {tgraph.name = "z"})
    -> (tensor<300xf32> {tgraph.name = "means"}, tensor<300xi64> {tgraph.name = "numbers"}, tensor<f32> {tgraph.name = "sides"},
        tensor<f32> {tgraph.name = "last"}, tensor<?xf32, #tgraph.dims<[N]>> {tgraph.name = "course"}, tensor<1x1x?xf32, #tgraph.dims<[1, 1, (N + 1) floordiv 2]>> {tgraph.name = "conv"},
        tensor<?xf32, #tgraph.dims<[N - 1]>> {tgraph.name = "pool"}, tensor<?xf32, #tgraph.dims<[N]>> {tgraph.name = "norm"}, tensor<?xi64, #tgraph.dims<[N]>> {tgraph.name = "up"},
        tensor<?xi64, #tgraph.dims<[N]>> {tgraph.name = "down"}, tensor<?xf32, #tgraph.dims<[N]>> {tgraph.name = "scan"})
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 2, max = 40, step = 1>, M = #tgraph.symbol<min = 0, max = 7, step = 1>, P = #tgraph.symbol<min = 0, max = 40, step = 1>}} {
  // Of each row the elements above zero, and what their mean and number are.
  %start = tgraph.constant dense<0.0> : tensor<f32>
  %s, %means, %numbers = tgraph.for 300 carried(%acc = %start : tensor<f32>) slices(%row = %x : tensor<300x7xf32>) -> tensor<f32>, tensor<300xf32>, tensor<300xi64> {
    %zero = tgraph.constant dense<0.0> : tensor<7xf32>
    %above = tgraph.compare gt, %row, %zero : tensor<7xf32>
    %ones = tgraph.cast %above : tensor<7xi1> to tensor<7xi64>
    %ends = tgraph.scan add %ones dim 0 : tensor<7xi64>
    %n = tgraph.reduce add %ones dims [0] : tensor<7xi64> -> tensor<i64>
    %one = tgraph.constant dense<1> : tensor<7xi64>
    %nowhere = tgraph.constant dense<-1> : tensor<7xi64>
    %places = tgraph.sub %ends, %one : tensor<7xi64>
    %at = tgraph.select %above, %places, %nowhere : tensor<7xi64>
    %packed = tgraph.scatter %zero, %row at %at {axis = 0 : i64} : tensor<7xf32>, tensor<7xf32> at tensor<7xi64> -> tensor<7xf32>
    %v = tgraph.prefix %packed, %n dim 0 : tensor<7xf32> -> tensor<?xf32, #tgraph.dims<[M]>>
    %e = tgraph.exp %v : tensor<?xf32, #tgraph.dims<[M]>>
    %sum = tgraph.reduce add %e dims [0] : tensor<?xf32, #tgraph.dims<[M]>> -> tensor<f32>
    %m = tgraph.size <[M + 1]> : tensor<f32>
    %mean = tgraph.div %sum, %m : tensor<f32>
    %next = tgraph.add %acc, %mean : tensor<f32>
    tgraph.yield %next, %mean, %n : tensor<f32>, tensor<f32>, tensor<i64>
  }
  // In a side of a branch.
  %z0 = tgraph.constant dense<0.0> : tensor<40xf32>
  %zabove = tgraph.compare gt, %z, %z0 : tensor<40xf32>
  %zones = tgraph.cast %zabove : tensor<40xi1> to tensor<40xi64>
  %zcount = tgraph.reduce add %zones dims [0] : tensor<40xi64> -> tensor<i64>
  %two = tgraph.constant dense<2> : tensor<i64>
  %more = tgraph.compare gt, %zcount, %two : tensor<i64>
  %sides = tgraph.if %more -> tensor<f32> {
    %p = tgraph.prefix %z, %zcount dim 0 : tensor<40xf32> -> tensor<?xf32, #tgraph.dims<[P]>>
    %most = tgraph.reduce max %p dims [0] : tensor<?xf32, #tgraph.dims<[P]>> -> tensor<f32>
    tgraph.yield %most : tensor<f32>
  } else {
    tgraph.yield %start : tensor<f32>
  }
  // As many iterations as are counted, from the last one on.
  %count = tgraph.maximum %zcount, %two : tensor<i64>
  %y = tgraph.prefix %z, %count dim 0 : tensor<40xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  %last, %course = tgraph.for #tgraph.dims<[N]> reverse carried(%a = %start : tensor<f32>) slices(%t = %y : tensor<?xf32, #tgraph.dims<[N]>>) -> tensor<f32>, tensor<?xf32, #tgraph.dims<[N]>> {
    %half = tgraph.constant dense<0.5> : tensor<f32>
    %b = tgraph.mul %a, %half : tensor<f32>
    %c = tgraph.add %b, %t : tensor<f32>
    tgraph.yield %c, %c : tensor<f32>, tensor<f32>
  }
  %image = tgraph.reshape %y : tensor<?xf32, #tgraph.dims<[N]>> -> tensor<1x1x?xf32, #tgraph.dims<[1, 1, N]>>
  %w = tgraph.constant dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %conv = tgraph.conv %image, %w strides [2] dilations [1] pad_low [1] pad_high [1] groups 1
      : tensor<1x1x?xf32, #tgraph.dims<[1, 1, N]>>, tensor<1x1x3xf32> -> tensor<1x1x?xf32, #tgraph.dims<[1, 1, (N + 1) floordiv 2]>>
  %pool = tgraph.window max %y window [3] strides [1] dilations [1] pad_low [0] pad_high [1] : tensor<?xf32, #tgraph.dims<[N]>> -> tensor<?xf32, #tgraph.dims<[N - 1]>>
  %one1 = tgraph.constant dense<1.5> : tensor<1xf32>
  %scale = tgraph.expand %one1 : tensor<1xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  %norm = tgraph.layer_norm %y scale %scale : tensor<?xf32, #tgraph.dims<[N]>> bias %scale : tensor<?xf32, #tgraph.dims<[N]>> dims [0] eps 1.0e-05 : tensor<?xf32, #tgraph.dims<[N]>>
  %up = tgraph.arg_sort %y dim 0 first -1 : tensor<?xf32, #tgraph.dims<[N]>> -> tensor<?xi64, #tgraph.dims<[N]>>
  %down = tgraph.arg_sort %y dim 0 descending first -1 : tensor<?xf32, #tgraph.dims<[N]>> -> tensor<?xi64, #tgraph.dims<[N]>>
  %scan = tgraph.associative_scan %y dim 0 reverse : tensor<?xf32, #tgraph.dims<[N]>> {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %sum = tgraph.add %l, %r : tensor<f32>
    tgraph.yield %sum : tensor<f32>
  }
  return %means, %numbers, %sides, %last, %course, %conv, %pool, %norm, %up, %down, %scan : tensor<300xf32>, tensor<300xi64>, tensor<f32>, tensor<f32>, tensor<?xf32, #tgraph.dims<[N]>>,
    tensor<1x1x?xf32, #tgraph.dims<[1, 1, (N + 1) floordiv 2]>>, tensor<?xf32, #tgraph.dims<[N - 1]>>, tensor<?xf32, #tgraph.dims<[N]>>, tensor<?xi64, #tgraph.dims<[N]>>, tensor<?xi64, #tgraph.dims<[N]>>, tensor<?xf32, #tgraph.dims<[N]>>
}
