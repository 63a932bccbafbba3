// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @dim(%x: tensor<2x8xi64>, %n: tensor<i64>) {
  // expected-error @+1 {{'tgraph.prefix' op expected dim to be from 0 to 1 for a tensor of rank 2, found 2 [T0204]}}
  %0 = tgraph.prefix %x, %n dim 2 : tensor<2x8xi64> -> tensor<2x3xi64>
  return
}

// -----

func.func @other(%x: tensor<2x8xi64>, %n: tensor<i64>) {
  // expected-error @+1 {{'tgraph.prefix' op expected a result of 2x3, found 1x3 [T0208]}}
  %0 = tgraph.prefix %x, %n dim 1 : tensor<2x8xi64> -> tensor<1x3xi64>
  return
}

// -----

func.func @element(%x: tensor<2x8xi64>, %n: tensor<i64>) {
  // expected-error @+1 {{'tgraph.prefix' op expected result element type 'i64', found 'i32' [T0213]}}
  %0 = tgraph.prefix %x, %n dim 1 : tensor<2x8xi64> -> tensor<2x3xi32>
  return
}

// -----

func.func @sum(%x: tensor<8xi64>, %n: tensor<i64>) attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  // expected-error @+1 {{'tgraph.prefix' op expected a symbol, or a number, as the size along dimension 0, found N + 1 [T0208]}}
  %0 = tgraph.prefix %x, %n dim 0 : tensor<8xi64> -> tensor<?xi64, #tgraph.dims<[N + 1]>>
  return
}

// -----

// expected-error @+1 {{expected tgraph.counts on result 0 to be an array of i64, found 3 : i64 [T0217]}}
func.func @kind(%x: tensor<8xi64>) -> (tensor<8xi64> {tgraph.counts = 3}) {
  return %x : tensor<8xi64>
}

// -----

// expected-error @+1 {{has tgraph.counts, of which expected one count for each dimension of result 0, found 2 [T0217]}}
func.func @length(%x: tensor<8xi64>, %n: tensor<i64>) -> (tensor<8xi64> {tgraph.counts = array<i64: 1, -1>}, tensor<i64>) {
  return %x, %n : tensor<8xi64>, tensor<i64>
}

// -----

// expected-error @+1 {{has tgraph.counts, of which expected result 0 to be counted by results of type tensor<i64>, found 1 [T0217]}}
func.func @type(%x: tensor<8xi64>, %n: tensor<i32>) -> (tensor<8xi64> {tgraph.counts = array<i64: 1>}, tensor<i32>) {
  return %x, %n : tensor<8xi64>, tensor<i32>
}

// -----

// expected-error @+1 {{has tgraph.counts, of which result 1 is counted and stands behind one that counts [T0217]}}
func.func @behind(%x: tensor<8xi64>, %n: tensor<i64>) -> (tensor<i64>, tensor<8xi64> {tgraph.counts = array<i64: 0>}) {
  return %n, %x : tensor<i64>, tensor<8xi64>
}
