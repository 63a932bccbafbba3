// Every message of gather.
// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @f(%s: tensor<8xf32>) {
  // expected-error @+1 {{'tgraph.gather' op expected at least one index operand, found none [T0208]}}
  %0 = "tgraph.gather"(%s) <{axis = 0 : i64, batch_dims = 0 : i64}> : (tensor<8xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%s: tensor<2x8x4xf32>, %i: tensor<2x3xi64>, %j: tensor<3xi64>) {
  // expected-error @+1 {{'tgraph.gather' op expected index operand 1 of the first one's type 'tensor<2x3xi64>', found 'tensor<3xi64>' [T0202]}}
  %0 = tgraph.gather %s, %i, %j {axis = 0 : i64} : tensor<2x8x4xf32>, tensor<2x3xi64>, tensor<3xi64> -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%s: tensor<2x8x4xf32>, %i: tensor<2x3xi64>) {
  // expected-error @+1 {{'tgraph.gather' op expected dimensions axis to axis + 0 to be those of a source of rank 3, found axis 3 [T0204]}}
  %0 = tgraph.gather %s, %i {axis = 3 : i64} : tensor<2x8x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%s: tensor<2x8x4xf32>, %i: tensor<2x3xi64>) {
  // expected-error @+1 {{'tgraph.gather' op expected batch_dims to be from 0 to 1 (the axis and the rank of the indices), found 2 [T0204]}}
  %0 = tgraph.gather %s, %i {axis = 1 : i64, batch_dims = 2 : i64} : tensor<2x8x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%s: tensor<3x8x4xf32>, %i: tensor<2x3xi64>) {
  // expected-error @+1 {{'tgraph.gather' op expected batch dimension 0 of the indices to be 3 as in the source, found 2 [T0208]}}
  %0 = tgraph.gather %s, %i {axis = 1 : i64, batch_dims = 1 : i64} : tensor<3x8x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%s: tensor<8xf32>, %i: tensor<2xf32>) {
  // expected-error @+1 {{'tgraph.gather' op operand #1 must be variadic of ranked tensor of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<2xf32>'}}
  %0 = tgraph.gather %s, %i {axis = 0 : i64} : tensor<8xf32>, tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @f(%s: tensor<2x8x4xf32>, %i: tensor<2x3xi64>) {
  // expected-error @+1 {{'tgraph.gather' op expected result type 'tensor<2x3x4xf32>', found 'tensor<2x3xf32>' [T0203]}}
  %0 = tgraph.gather %s, %i {axis = 1 : i64, batch_dims = 1 : i64} : tensor<2x8x4xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  return
}
