// RUN: tensor-opt %s --graph-differentiate="of=loss wrt=w" --split-input-file --verify-diagnostics -o /dev/null

// expected-error @+1 {{graph-differentiate: 'main' has no result 'loss'; it has y [T0223]}}
func.func @main(%w: tensor<4xf32> {tgraph.name = "w"}) -> (tensor<4xf32> {tgraph.name = "y"}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error @+1 {{graph-differentiate: 'main' has no argument 'w'; it has x [T0223]}}
func.func @main(%x: tensor<4xf32> {tgraph.name = "x"}) -> (tensor<4xf32> {tgraph.name = "loss"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{graph-differentiate: expected argument 'w' to be floats, found 'tensor<4xi32>' [T0223]}}
func.func @main(%w: tensor<4xi32> {tgraph.name = "w"}, %x: tensor<4xf32> {tgraph.name = "x"}) -> (tensor<4xf32> {tgraph.name = "loss"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{graph-differentiate: the module has no function 'main' with a body [T0223]}}
module {
  func.func @other(%w: tensor<4xf32> {tgraph.name = "w"}) -> (tensor<4xf32> {tgraph.name = "loss"}) {
    return %w : tensor<4xf32>
  }
}

// -----

func.func @main(%w: tensor<4xf32> {tgraph.name = "w"}) -> (tensor<f32> {tgraph.name = "loss"}) {
  %0 = tgraph.scan max %w dim 0 : tensor<4xf32>
  // expected-error @-1 {{'tgraph.scan' op has no derivative that is known: max along a dimension; running sums have one [T0220]}}
  %1 = tgraph.reduce add %0 dims [0] : tensor<4xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func @main(%w: tensor<4xf32> {tgraph.name = "w"}) -> (tensor<f32> {tgraph.name = "loss"}) {
  %n = tgraph.constant dense<5> : tensor<i64>
  // expected-error @+1 {{'tgraph.for' op has no derivative that is known: a number of iterations that a tensor holds; give the loop a number [T0220]}}
  %0 = tgraph.for %n : tensor<i64> limit 10 carried(%s = %w : tensor<4xf32>) -> tensor<4xf32> {
    %2 = tgraph.mul %s, %s : tensor<4xf32>
    tgraph.yield %2 : tensor<4xf32>
  }
  %1 = tgraph.reduce add %0 dims [0] : tensor<4xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func @main(%w: tensor<4xf32> {tgraph.name = "w"}, %x: tensor<4xf32> {tgraph.name = "x"}) -> (tensor<f32> {tgraph.name = "loss"}) {
  %0 = tgraph.round %w : tensor<4xf32>
  %1 = tgraph.mul %0, %x : tensor<4xf32>
  // expected-warning @+1 {{'loss' does not depend on 'w': its derivative is zero everywhere [T0222]}}
  %2 = tgraph.reduce add %1 dims [0] : tensor<4xf32> -> tensor<f32>
  return %2 : tensor<f32>
}
