// Every message of compare, select, clamp, cast.
// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.compare' op expected result type 'tensor<4xi1>', found 'tensor<2x2xi1>' [T0203]}}
  %0 = "tgraph.compare"(%a, %b) <{predicate = #tgraph<predicate lt>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x2xi1>
  return
}

// -----

func.func @f(%c: tensor<2xi1>, %a: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.select' op failed to verify that the condition has the operands' shape}}
  %0 = "tgraph.select"(%c, %a, %a) : (tensor<2xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %l: tensor<f32>) {
  // expected-error @+1 {{'tgraph.clamp' op expected operand 1 of the result's type 'tensor<4xf32>', found 'tensor<f32>'; broadcast with tgraph.expand, convert with tgraph.cast [T0202]}}
  %0 = "tgraph.clamp"(%x, %l, %l) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.cast' op expected result type 'tensor<4xi8>' with the operand's shape, found 'tensor<5xi8>' [T0203]}}
  %0 = tgraph.cast %x : tensor<4xf32> to tensor<5xi8>
  return
}
