// RUN: tensor-opt %s --graph-bound-counts --split-input-file --verify-diagnostics

func.func @reshape(%x: tensor<4x8xf32>, %n: tensor<i64>) attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  %y = tgraph.prefix %x, %n dim 1 : tensor<4x8xf32> -> tensor<4x?xf32, #tgraph.dims<[4, N]>>
  // expected-error @+1 {{'tgraph.reshape' op joins, with what lies before it, a dimension of size N, which data decide [T0215]}}
  %0 = tgraph.reshape %y : tensor<4x?xf32, #tgraph.dims<[4, N]>> -> tensor<?xf32, #tgraph.dims<[4 * N]>>
  return
}

// -----

func.func @counts(%x: tensor<8xf32>, %n: tensor<i64>, %m: tensor<i64>) attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  // expected-note @+1 {{it is counted here}}
  %y = tgraph.prefix %x, %n dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  // expected-error @+1 {{'tgraph.prefix' op counts 'N' otherwise than another op does [T0215]}}
  %z = tgraph.prefix %x, %m dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  return
}

// -----

func.func @loop(%x: tensor<8xf32>, %n: tensor<i64>) attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  // expected-error @+1 {{'tgraph.for' op has a dimension of size N, which is counted inside of a region and may be another one each time: give tensors of one size out of it, as the largest with what is counted beside it [T0215]}}
  %r, %s = tgraph.for 4 carried(%s = %x : tensor<8xf32>) -> tensor<8xf32>, tensor<4x?xf32, #tgraph.dims<[4, N]>> {
    // expected-note @+1 {{it is counted here}}
    %y = tgraph.prefix %s, %n dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
    tgraph.yield %s, %y : tensor<8xf32>, tensor<?xf32, #tgraph.dims<[N]>>
  }
  return
}

// -----

func.func @part(%x: tensor<8xf32>, %n: tensor<i64>) attributes {tgraph.symbols = {N = #tgraph.symbol<min = 1, max = 8, step = 1>}} {
  %y = tgraph.prefix %x, %n dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  // expected-error @+1 {{'tgraph.slice' op takes a part of a dimension of size N, which data decide [T0215]}}
  %0 = tgraph.slice %y offsets [0] sizes [1] strides [1] : tensor<?xf32, #tgraph.dims<[N]>> -> tensor<1xf32>
  return
}

// -----

func.func @before(%x: tensor<8xf32>, %n: tensor<i64>) attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  // expected-error @+1 {{'tgraph.size' op comes before the op that counts, as a number of size N, which data decide [T0215]}}
  %s = tgraph.size <[N]> : tensor<i64>
  %y = tgraph.prefix %x, %n dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  return
}

// -----

func.func @first(%x: tensor<8xf32>, %n: tensor<i64>) attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  %y = tgraph.prefix %x, %n dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  // expected-error @+1 {{'tgraph.arg_sort' op asks for the first 3 along a dimension of size N, which data decide, and may be fewer [T0215]}}
  %0 = tgraph.arg_sort %y dim 0 first 3 : tensor<?xf32, #tgraph.dims<[N]>> -> tensor<3xi64>
  return
}

// -----

func.func @product(%z: tensor<?xf32, #tgraph.dims<[4 * S]>>, %n: tensor<i64>) attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 36, step = 1>, S = #tgraph.symbol<min = 1, max = 9, step = 1>}} {
  %y = tgraph.prefix %z, %n dim 0 : tensor<?xf32, #tgraph.dims<[4 * S]>> -> tensor<?xf32, #tgraph.dims<[N]>>
  %one = tgraph.constant dense<1.0> : tensor<1xf32>
  // expected-error @+1 {{'tgraph.expand' op has a dimension of size N * S, a product of what data decide and of what a call settles [T0215]}}
  %0 = tgraph.expand %one : tensor<1xf32> -> tensor<?xf32, #tgraph.dims<[N * S]>>
  return
}

// -----

// The quotient falls where the count grows.
func.func @falling(%z: tensor<8xf32>, %n: tensor<i64>) attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  %y = tgraph.prefix %z, %n dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  %one = tgraph.constant dense<1.0> : tensor<1xf32>
  // expected-error @+1 {{'tgraph.expand' op has a dimension of size (N floordiv 2) * N + 4 * N - N * N, a product of what data decide and of what a call settles [T0215]}}
  %0 = tgraph.expand %one : tensor<1xf32> -> tensor<?xf32, #tgraph.dims<[N * ((8 - N) floordiv 2)]>>
  return
}

// -----

func.func @argument(%x: tensor<?xf32, #tgraph.dims<[N]>>, %z: tensor<8xf32>, %n: tensor<i64>) attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  // expected-error @+1 {{'tgraph.prefix' op counts 'N', which an argument has: expected a symbol of its own [T0215]}}
  %y = tgraph.prefix %z, %n dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  return
}
