// Every message of constants and iota.
// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @f() {
  // expected-error @+1 {{'tgraph.constant' op expected a length of 12 bytes in #tgraph.file for 'tensor<3xf32>', found 10 [T0210]}}
  %0 = tgraph.constant #tgraph.file<"model.onnx", 0, 10> : tensor<3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tgraph.constant' op expected a length of 3 bytes in #tgraph.file for 'tensor<3xi1>', found 1 [T0210]}}
  %0 = tgraph.constant #tgraph.file<"model.onnx", 0, 1> : tensor<3xi1>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tgraph.constant' op expected offset + length below 2^64 in #tgraph.file, found offset 18446744073709551610, length 12 [T0210]}}
  %0 = tgraph.constant #tgraph.file<"model.onnx", 18446744073709551610, 12> : tensor<3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tgraph.constant' op has the type 'tensor<4611686018427387904x4xf32>', whose byte length exceeds 64 bits [T0210]}}
  %0 = tgraph.constant #tgraph.file<"model.onnx", 0, 12> : tensor<4611686018427387904x4xf32>
  return
}

// -----

func.func @f() attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 4, step = 1>}} {
  // expected-error @+1 {{'tgraph.constant' op expected a static shape for a constant in a file, found 'tensor<?xf32, #tgraph.dims<[S]>>' [T0211]}}
  %0 = tgraph.constant #tgraph.file<"model.onnx", 0, 12> : tensor<?xf32, #tgraph.dims<[S]>>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tgraph.constant' op expected dense elements or #tgraph.file, found another kind of attribute [T0211]}}
  %0 = tgraph.constant sparse<0, 1.0> : tensor<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tgraph.constant' op result #0 must be ranked tensor of}}
  %0 = tgraph.constant 1.0 : f32
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tgraph.iota' op expected dim to be from 0 to 1 for a tensor of rank 2, found 2 [T0204]}}
  %0 = tgraph.iota dim 2 : tensor<2x3xi64>
  return
}
