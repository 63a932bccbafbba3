// Sizes that data decide are what the data say; with the most in their place and masks results are the same.
// RUN: tensor-opt %s --interpret=integers -o /dev/null > %t.exact
// RUN: FileCheck %s < %t.exact
// RUN: tensor-opt %s --graph-bound-counts --interpret=integers -o /dev/null > %t.bound
// RUN: diff %t.exact %t.bound
// RUN: tensor-opt %s --graph-bound-counts --graph-decompose --graph-to-view --view-to-kernel --interpret=integers -o /dev/null > %t.kernel
// RUN: diff %t.exact %t.kernel
// RUN: tensor-opt %s --graph-bound-counts --graph-decompose --graph-to-view --view-to-kernel --kernel-schedule --kernel-to-launch --kernel-to-tile --interpret=integers -o /dev/null > %t.tile
// RUN: diff %t.exact %t.tile
func.func @main(%x: tensor<8x3xf32>) -> (
    tensor<?x3xf32, #tgraph.dims<[N, 3]>>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>, tensor<3x3xf32>, tensor<3x?xf32, #tgraph.dims<[3, N]>>,
    tensor<?x3xf32, #tgraph.dims<[N + 3, 3]>>, tensor<?x3xf32, #tgraph.dims<[2 * N, 3]>>, tensor<?x3xf32, #tgraph.dims<[N, 3]>>,
    tensor<4x3xf32>, tensor<4x3xf32>, tensor<i64>, tensor<?x3xf32, #tgraph.dims<[N, 3]>>, tensor<?x2xi64, #tgraph.dims<[N, 2]>>, tensor<?x3xf32, #tgraph.dims<[N, 3]>>)
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  %n = tgraph.constant dense<5> : tensor<i64>
  // CHECK: result 0 : tensor<5x3xf32> =
  %0 = tgraph.prefix %x, %n dim 0 : tensor<8x3xf32> -> tensor<?x3xf32, #tgraph.dims<[N, 3]>>
  %one = tgraph.constant dense<1.0> : tensor<1x1xf32>
  %ones = tgraph.expand %one : tensor<1x1xf32> -> tensor<?x3xf32, #tgraph.dims<[N, 3]>>
  %y = tgraph.add %0, %ones : tensor<?x3xf32, #tgraph.dims<[N, 3]>>
  // CHECK: result 1 : tensor<3xf32> =
  %1 = tgraph.reduce add %y dims [0] : tensor<?x3xf32, #tgraph.dims<[N, 3]>> -> tensor<3xf32>
  %2 = tgraph.reduce min %y dims [0] : tensor<?x3xf32, #tgraph.dims<[N, 3]>> -> tensor<3xf32>
  %3 = tgraph.arg_reduce max %y dim 0 : tensor<?x3xf32, #tgraph.dims<[N, 3]>> -> tensor<3xi64>
  // CHECK: result 4 : tensor<3x3xf32> =
  %4 = tgraph.contract "km,kn->mn" %y, %0 : tensor<?x3xf32, #tgraph.dims<[N, 3]>>, tensor<?x3xf32, #tgraph.dims<[N, 3]>> -> tensor<3x3xf32>
  // CHECK: result 5 : tensor<3x5xf32> =
  %5 = tgraph.permute %y [1, 0] : tensor<?x3xf32, #tgraph.dims<[N, 3]>> -> tensor<3x?xf32, #tgraph.dims<[3, N]>>
  // CHECK: result 6 : tensor<8x3xf32> =
  %6 = tgraph.pad %y low [1, 0] high [2, 0] value 7.0 : f32 : tensor<?x3xf32, #tgraph.dims<[N, 3]>> -> tensor<?x3xf32, #tgraph.dims<[N + 3, 3]>>
  // CHECK: result 7 : tensor<10x3xf32> =
  %7 = tgraph.concat %y, %0 dim 0 : tensor<?x3xf32, #tgraph.dims<[N, 3]>>, tensor<?x3xf32, #tgraph.dims<[N, 3]>> -> tensor<?x3xf32, #tgraph.dims<[2 * N, 3]>>
  // CHECK: result 8 : tensor<5x3xf32> =
  %8 = tgraph.flip %y dims [0, 1] : tensor<?x3xf32, #tgraph.dims<[N, 3]>>
  // What lies behind the count is not there.
  %i = tgraph.constant dense<[4, 5, 0, -1]> : tensor<4xi64>
  %9 = tgraph.gather %y, %i {axis = 0 : i64} : tensor<?x3xf32, #tgraph.dims<[N, 3]>>, tensor<4xi64> -> tensor<4x3xf32>
  %zero = tgraph.constant dense<0.0> : tensor<4x3xf32>
  %two = tgraph.constant dense<2> : tensor<1xi64>
  %at = tgraph.expand %two : tensor<1xi64> -> tensor<?xi64, #tgraph.dims<[N]>>
  %10 = tgraph.scatter add %zero, %y at %at {axis = 0 : i64} : tensor<4x3xf32>, tensor<?x3xf32, #tgraph.dims<[N, 3]>> at tensor<?xi64, #tgraph.dims<[N]>> -> tensor<4x3xf32>
  // CHECK: result 11 : tensor<i64> = 17
  %11 = tgraph.size <[3 * N + 2]> : tensor<i64>
  %12 = tgraph.scan add %y dim 0 {reverse} : tensor<?x3xf32, #tgraph.dims<[N, 3]>>
  %13 = tgraph.arg_sort %y dim 1 first 2 : tensor<?x3xf32, #tgraph.dims<[N, 3]>> -> tensor<?x2xi64, #tgraph.dims<[N, 2]>>
  // CHECK: result 14 : tensor<5x3xf32> =
  %14 = tgraph.softmax %y dim 0 : tensor<?x3xf32, #tgraph.dims<[N, 3]>>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14 :
    tensor<?x3xf32, #tgraph.dims<[N, 3]>>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>, tensor<3x3xf32>, tensor<3x?xf32, #tgraph.dims<[3, N]>>,
    tensor<?x3xf32, #tgraph.dims<[N + 3, 3]>>, tensor<?x3xf32, #tgraph.dims<[2 * N, 3]>>, tensor<?x3xf32, #tgraph.dims<[N, 3]>>,
    tensor<4x3xf32>, tensor<4x3xf32>, tensor<i64>, tensor<?x3xf32, #tgraph.dims<[N, 3]>>, tensor<?x2xi64, #tgraph.dims<[N, 2]>>, tensor<?x3xf32, #tgraph.dims<[N, 3]>>
}
