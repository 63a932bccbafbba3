// The border of the graph stage names what may not pass it.
// RUN: tensor-opt %s --graph-verify-static --split-input-file --verify-diagnostics

func.func @legal(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tgraph.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'math.exp' op may not be in the graph stage; convert it to tgraph first [T0215]}}
  %0 = math.exp %x : tensor<4xf32>
  // expected-error @+1 {{'tgraph.relu' op is a composite at the end of the graph stage; run graph-decompose [T0215]}}
  %1 = tgraph.relu %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op has the argument type 'tensor<?xf32, #tgraph.dims<[2 * S]>>' with a dynamic dimension that has no range; declare its symbols in tgraph.symbols (--dim=NAME=MIN..MAX), or give them a value with --symbol=NAME=VALUE [T0215]}}
func.func @dynamic(%x: tensor<?xf32, #tgraph.dims<[2 * S]>>)
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 9223372036854775807, step = 1>}} {
  // expected-error @+1 {{'tgraph.exp' op has the result type 'tensor<?xf32, #tgraph.dims<[2 * S]>>' with a dynamic dimension that has no range; declare its symbols in tgraph.symbols (--dim=NAME=MIN..MAX), or give them a value with --symbol=NAME=VALUE [T0215]}}
  %0 = tgraph.exp %x : tensor<?xf32, #tgraph.dims<[2 * S]>>
  return
}

// -----

func.func @ranges(%x: tensor<?xf32, #tgraph.dims<[S]>>) -> tensor<?xf32, #tgraph.dims<[S]>>
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 4, step = 1>}} {
  %0 = tgraph.exp %x : tensor<?xf32, #tgraph.dims<[S]>>
  return %0 : tensor<?xf32, #tgraph.dims<[S]>>
}

// -----

// All elements that are taken are there at all sizes.
func.func @first(%x: tensor<?x4xf32, #tgraph.dims<[N, 4]>>, %y: tensor<?x4xf32, #tgraph.dims<[N + 1, 4]>>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 1, max = 8, step = 1>}} {
  // expected-error @+1 {{'tgraph.slice' op takes element 1 of dimension 0, of which there are N, 1 at the least: give symbols ranges in which there are 2 (--dim=NAME=MIN..MAX) [T0215]}}
  %0 = tgraph.slice %x offsets [0, 0] sizes [2, 4] strides [1, 1] : tensor<?x4xf32, #tgraph.dims<[N, 4]>> -> tensor<2x4xf32>
  %1 = tgraph.slice %y offsets [0, 0] sizes [2, 4] strides [1, 1] : tensor<?x4xf32, #tgraph.dims<[N + 1, 4]>> -> tensor<2x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}
