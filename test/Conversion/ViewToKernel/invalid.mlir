// RUN: tensor-opt %s --view-to-kernel --verify-diagnostics

func.func @symbols(%a: tensor<?xf32, #tgraph.dims<[S]>>) -> tensor<?xf32, #tgraph.dims<[S]>>
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 8, step = 1>}} {
  // expected-error @+1 {{'tgraph.neg' op expected static shapes, found 'tensor<?xf32, #tgraph.dims<[S]>>' [T0332]}}
  %r = tgraph.neg %a : tensor<?xf32, #tgraph.dims<[S]>>
  return %r : tensor<?xf32, #tgraph.dims<[S]>>
}
