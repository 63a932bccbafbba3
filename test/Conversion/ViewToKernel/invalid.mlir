// RUN: tensor-opt %s --view-to-kernel --verify-diagnostics

// The most that the size comes to is beyond 64 bits.
func.func @symbols(%a: tensor<?xf32, #tgraph.dims<[4 * S]>>) -> tensor<?xf32, #tgraph.dims<[4 * S]>>
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 9223372036854775807, step = 1>}} {
  // expected-error @+1 {{'tgraph.neg' op expected static shapes, found 'tensor<?xf32, #tgraph.dims<[4 * S]>>' [T0332]}}
  %r = tgraph.neg %a : tensor<?xf32, #tgraph.dims<[4 * S]>>
  return %r : tensor<?xf32, #tgraph.dims<[4 * S]>>
}
