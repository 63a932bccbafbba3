// Tensors of sizes that data decide have the largest size, and ops that combine elements read masks.
// RUN: tensor-opt %s --graph-bound-counts | FileCheck %s

// The example of the pass.
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<8xf32> {tgraph.counts = array<i64: 2>}, tensor<f32>, tensor<i64> {tgraph.name = "N"}) {
// CHECK: %[[LOW:.*]] = tgraph.maximum %arg1
// CHECK: %[[N:.*]] = tgraph.minimum %[[LOW]]
// CHECK-NOT: tgraph.prefix
// CHECK: %[[I:.*]] = tgraph.iota dim 0 : tensor<8xi64>
// CHECK: %[[R:.*]] = tgraph.reshape %[[N]] : tensor<i64> -> tensor<1xi64>
// CHECK: %[[E:.*]] = tgraph.expand %[[R]] : tensor<1xi64> -> tensor<8xi64>
// CHECK: %[[THERE:.*]] = tgraph.compare lt, %[[I]], %[[E]] : tensor<8xi64>
// CHECK: %[[MASKED:.*]] = tgraph.select %[[THERE]], %arg0, %{{.*}} : tensor<8xf32>
// CHECK: %[[S:.*]] = tgraph.reduce add %[[MASKED]] dims [0] : tensor<8xf32> -> tensor<f32>
// CHECK: %[[COUNT:.*]] = tgraph.maximum %[[N]]
// CHECK: return %arg0, %[[S]], %[[COUNT]]
func.func @main(%x: tensor<8xf32>, %n: tensor<i64>) -> (tensor<?xf32, #tgraph.dims<[N]>>, tensor<f32>)
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  %y = tgraph.prefix %x, %n dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  %s = tgraph.reduce add %y dims [0] : tensor<?xf32, #tgraph.dims<[N]>> -> tensor<f32>
  return %y, %s : tensor<?xf32, #tgraph.dims<[N]>>, tensor<f32>
}

// What is computed element by element needs no mask; several results share a count, other sizes have their own.
// CHECK-LABEL: func.func @results
// CHECK-SAME: -> (tensor<8x2xf32> {tgraph.counts = array<i64: 3, -1>}, tensor<2x8xf32> {tgraph.counts = array<i64: -1, 3>},
// CHECK-SAME: tensor<16xf32> {tgraph.counts = array<i64: 4>}, tensor<i64> {tgraph.name = "N"}, tensor<i64> {tgraph.name = "2 * N"})
// CHECK-NOT: tgraph.select
// CHECK: tgraph.reshape %{{.*}} : tensor<8x2xf32> -> tensor<16xf32>
// CHECK: %[[TWICE:.*]] = tgraph.mul
func.func @results(%x: tensor<8x2xf32>, %n: tensor<i64>)
    -> (tensor<?x2xf32, #tgraph.dims<[N, 2]>>, tensor<2x?xf32, #tgraph.dims<[2, N]>>, tensor<?xf32, #tgraph.dims<[2 * N]>>)
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  %y = tgraph.prefix %x, %n dim 0 : tensor<8x2xf32> -> tensor<?x2xf32, #tgraph.dims<[N, 2]>>
  %e = tgraph.exp %y : tensor<?x2xf32, #tgraph.dims<[N, 2]>>
  %p = tgraph.permute %e [1, 0] : tensor<?x2xf32, #tgraph.dims<[N, 2]>> -> tensor<2x?xf32, #tgraph.dims<[2, N]>>
  %r = tgraph.reshape %e : tensor<?x2xf32, #tgraph.dims<[N, 2]>> -> tensor<?xf32, #tgraph.dims<[2 * N]>>
  return %y, %p, %r : tensor<?x2xf32, #tgraph.dims<[N, 2]>>, tensor<2x?xf32, #tgraph.dims<[2, N]>>, tensor<?xf32, #tgraph.dims<[2 * N]>>
}

// The size as a number is the count, in another type.
// CHECK-LABEL: func.func @size
// CHECK-NOT: tgraph.size
// CHECK: %[[F:.*]] = tgraph.cast %{{.*}} : tensor<i64> to tensor<f32>
// CHECK: return %[[F]]
func.func @size(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<f32>
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  %y = tgraph.prefix %x, %n dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  %s = tgraph.size <[N + 1]> : tensor<f32>
  return %s : tensor<f32>
}

// What is counted in an iteration is a value of it.
// CHECK-LABEL: func.func @inside
// CHECK-SAME: -> (tensor<4xf32>, tensor<f32>) {
// CHECK: tgraph.for 4
// CHECK: %[[LOW:.*]] = tgraph.maximum %{{.*}} : tensor<i64>
// CHECK: tgraph.minimum %[[LOW]]
// CHECK: tgraph.select {{.*}} : tensor<8xf32>
// CHECK: tgraph.yield
func.func @inside(%x: tensor<4x8xf32>, %n: tensor<4xi64>) -> (tensor<4xf32>, tensor<f32>)
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  %z = tgraph.constant dense<0.0> : tensor<f32>
  %last, %all = tgraph.for 4 carried(%s = %z : tensor<f32>) slices(%row = %x : tensor<4x8xf32>, %m = %n : tensor<4xi64>) -> tensor<f32>, tensor<4xf32> {
    %y = tgraph.prefix %row, %m dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
    %r = tgraph.reduce add %y dims [0] : tensor<?xf32, #tgraph.dims<[N]>> -> tensor<f32>
    tgraph.yield %r, %r : tensor<f32>, tensor<f32>
  }
  return %all, %last : tensor<4xf32>, tensor<f32>
}

// As many iterations as are counted: the count is the loop's, slices are gathered, rows stored.
// CHECK-LABEL: func.func @slices
// CHECK: tgraph.for %{{.*}} : tensor<i64> limit 8 carried(%[[I:.*]] = %{{.*}} : tensor<i64>, %[[S:.*]] = %{{.*}} : tensor<f32>, %[[ROOM:.*]] = %{{.*}} : tensor<8xf32>)
// CHECK: tgraph.gather
// CHECK: tgraph.scatter %[[ROOM]]
// CHECK: tgraph.yield
func.func @slices(%x: tensor<8xf32>, %n: tensor<i64>) -> (tensor<f32>, tensor<?xf32, #tgraph.dims<[N]>>)
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  %y = tgraph.prefix %x, %n dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  %z = tgraph.constant dense<0.0> : tensor<f32>
  %r, %all = tgraph.for #tgraph.dims<[N]> carried(%s = %z : tensor<f32>) slices(%t = %y : tensor<?xf32, #tgraph.dims<[N]>>) -> tensor<f32>, tensor<?xf32, #tgraph.dims<[N]>> {
    %0 = tgraph.add %s, %t : tensor<f32>
    tgraph.yield %0, %0 : tensor<f32>, tensor<f32>
  }
  return %r, %all : tensor<f32>, tensor<?xf32, #tgraph.dims<[N]>>
}

// Windows read behind the count what padding holds, a sort has it last.
// CHECK-LABEL: func.func @along
// CHECK: %[[M:.*]] = tgraph.select %{{.*}}, %arg0, %{{.*}} : tensor<8xf32>
// CHECK: tgraph.window max %[[M]]
// CHECK: %[[L:.*]] = tgraph.select %{{.*}}, %arg0, %{{.*}} : tensor<8xf32>
// CHECK: tgraph.arg_sort %[[L]] dim 0 first -1 : tensor<8xf32> -> tensor<8xi64>
func.func @along(%x: tensor<8xf32>, %n: tensor<i64>) -> (tensor<?xf32, #tgraph.dims<[N]>>, tensor<?xi64, #tgraph.dims<[N]>>)
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  %y = tgraph.prefix %x, %n dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  %w = tgraph.window max %y window [3] strides [1] dilations [1] pad_low [1] pad_high [1] : tensor<?xf32, #tgraph.dims<[N]>> -> tensor<?xf32, #tgraph.dims<[N]>>
  %s = tgraph.arg_sort %y dim 0 first -1 : tensor<?xf32, #tgraph.dims<[N]>> -> tensor<?xi64, #tgraph.dims<[N]>>
  return %w, %s : tensor<?xf32, #tgraph.dims<[N]>>, tensor<?xi64, #tgraph.dims<[N]>>
}

// A checked count outside of its range, -1 or 9 of 2 to 8, is -2 in place of the count; the count itself is not beyond what there is.
// CHECK-LABEL: func.func @checked
// CHECK: %[[LOW:.*]] = tgraph.compare lt, %arg1, %{{.*}} : tensor<i64>
// CHECK: %[[HIGH:.*]] = tgraph.compare gt, %arg1, %{{.*}} : tensor<i64>
// CHECK: %[[WRONG:.*]] = tgraph.or %[[LOW]], %[[HIGH]] : tensor<i1>
// CHECK: %[[COUNT:.*]] = tgraph.select %[[WRONG]], %{{.*}}, %{{.*}} : tensor<i64>
// CHECK: return %{{.*}}, %[[COUNT]] : tensor<8xf32>, tensor<i64>
func.func @checked(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<?xf32, #tgraph.dims<[N]>>
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 2, max = 8, step = 1>}} {
  %y = tgraph.prefix %x, %n dim 0 checked : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  return %y : tensor<?xf32, #tgraph.dims<[N]>>
}
