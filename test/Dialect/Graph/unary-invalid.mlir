// Every message of the elementwise ops of one operand.
// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tgraph.exp' op operand #0 must be ranked tensor of float values, but got 'tensor<4xi32>'}}
  %0 = tgraph.exp %x : tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.not' op operand #0 must be ranked tensor of}}
  %0 = tgraph.not %x : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<*xf32>) {
  // expected-error @+1 {{'tgraph.neg' op operand #0 must be ranked tensor of}}
  %0 = "tgraph.neg"(%x) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%x: tensor<4xindex>) {
  // expected-error @+1 {{'tgraph.neg' op operand #0 must be ranked tensor of}}
  %0 = tgraph.neg %x : tensor<4xindex>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.neg' op expected operand 0 of the result's type 'tensor<4xf64>', found 'tensor<4xf32>'; broadcast with tgraph.expand, convert with tgraph.cast [T0202]}}
  %0 = "tgraph.neg"(%x) : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.is_nan' op expected result type 'tensor<4xi1>', found 'tensor<3xi1>' [T0203]}}
  %0 = "tgraph.is_nan"(%x) : (tensor<4xf32>) -> tensor<3xi1>
  return
}
