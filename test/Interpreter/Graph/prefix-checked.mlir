// A count that is to be in a range, and is not.
// RUN: not tensor-opt %s --interpret=integers -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: 'tgraph.prefix' op counts 9 elements, of which the program has a range from 2 to 8 [T0703]
func.func @main(%x: tensor<8xf32>) -> tensor<?xf32, #tgraph.dims<[N]>>
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 2, max = 8, step = 1>}} {
  %n = tgraph.constant dense<9> : tensor<i64>
  %0 = tgraph.prefix %x, %n dim 0 checked : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  return %0 : tensor<?xf32, #tgraph.dims<[N]>>
}
