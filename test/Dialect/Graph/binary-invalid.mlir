// Every message of the elementwise ops of two operands.
// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<4xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{'tgraph.add' op expected operand 1 of the result's type 'tensor<4xf32>', found 'tensor<1xf32>'; broadcast with tgraph.expand, convert with tgraph.cast [T0202]}}
  %0 = "tgraph.add"(%a, %b) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.and' op operand #0 must be ranked tensor of}}
  %0 = tgraph.and %a, %b : tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.shl' op operand #0 must be ranked tensor of}}
  %0 = tgraph.shl %a, %b : tensor<4xf32>
  return
}
