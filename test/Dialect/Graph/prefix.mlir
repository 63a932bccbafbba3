// RUN: tensor-opt %s | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @first
// CHECK: tgraph.prefix %arg0, %arg1 dim 1 : tensor<2x8xi64> -> tensor<2x?xi64, #tgraph.dims<[2, N]>>
// CHECK: tgraph.prefix %arg0, %arg1 dim 1 : tensor<2x8xi64> -> tensor<2x3xi64>
func.func @first(%x: tensor<2x8xi64>, %n: tensor<i64>) -> (tensor<2x?xi64, #tgraph.dims<[2, N]>>, tensor<2x3xi64>)
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  %0 = tgraph.prefix %x, %n dim 1 : tensor<2x8xi64> -> tensor<2x?xi64, #tgraph.dims<[2, N]>>
  %1 = tgraph.prefix %x, %n dim 1 : tensor<2x8xi64> -> tensor<2x3xi64>
  return %0, %1 : tensor<2x?xi64, #tgraph.dims<[2, N]>>, tensor<2x3xi64>
}

// CHECK-LABEL: func.func @checked
// CHECK: tgraph.prefix %arg0, %arg1 dim 0 checked : tensor<8xi64> -> tensor<?xi64, #tgraph.dims<[N]>>
func.func @checked(%x: tensor<8xi64>, %n: tensor<i64>) -> tensor<?xi64, #tgraph.dims<[N]>>
    attributes {tgraph.symbols = {N = #tgraph.symbol<min = 2, max = 8, step = 1>}} {
  %0 = tgraph.prefix %x, %n dim 0 checked : tensor<8xi64> -> tensor<?xi64, #tgraph.dims<[N]>>
  return %0 : tensor<?xi64, #tgraph.dims<[N]>>
}

// CHECK-LABEL: func.func @counted
// CHECK-SAME: (tensor<2x8xi64> {tgraph.counts = array<i64: -1, 1>}, tensor<i64>)
func.func @counted(%x: tensor<2x8xi64>, %n: tensor<i64>) -> (tensor<2x8xi64> {tgraph.counts = array<i64: -1, 1>}, tensor<i64>) {
  return %x, %n : tensor<2x8xi64>, tensor<i64>
}
