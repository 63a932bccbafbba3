// RUN: tensor-opt %s --split-input-file --interpret --verify-diagnostics -o /dev/null

// expected-error @+1 {{expected a function of func, tlaunch or ttile named 'main', or only one [T0701]}}
module {
  func.func @a() { return }
  func.func @b() { return }
}

// -----

// expected-error @+1 {{'func.func' op takes 'tensor<4xf6E2M3FN>', which is not held [T0702]}}
func.func @main(%x: tensor<4xf6E2M3FN>) { return }

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf6E2M3FN> {
  // expected-error @+1 {{'tgraph.cast' op yields 'tensor<4xf6E2M3FN>', which is not held [T0702]}}
  %y = tgraph.cast %x : tensor<4xf32> to tensor<4xf6E2M3FN>
  return %y : tensor<4xf6E2M3FN>
}

// -----

func.func @main() -> tensor<4xf32> {
  // expected-error @+1 {{'tgraph.constant' op cannot read its bytes, #tgraph.file<"no-such-file", 0, 16> : tensor<4xf32> [T0706]}}
  %y = tgraph.constant #tgraph.file<"no-such-file", 0, 16> : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @main() -> index {
  // expected-error @+1 {{'arith.constant' op yields 'index', which is not held [T0702]}}
  %y = arith.constant 4 : index
  return %y : index
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'arith.addf' op cannot be interpreted in a function [T0701]}}
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
