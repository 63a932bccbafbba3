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

func.func @main(%w: tensor<1048576xf32> {tgraph.name = "w"}) -> (tensor<f32> {tgraph.name = "loss"}) {
  %n = tgraph.constant dense<5> : tensor<i64>
  // expected-note-re @+2 {{on the way back from what is differentiated: 'tgraph.reduce' ({{.*}}:{{[0-9]+}}:{{[0-9]+}}), 'tgraph.for' ({{.*}}:{{[0-9]+}}:{{[0-9]+}}), to 'w'}}
  // expected-error @+1 {{'tgraph.for' op has no derivative that is known: keeping what each of at most 10000 iterations begins with, 4194304 bytes, takes more than 4 GiB; give the loop a nearer limit [T0220]}}
  %0 = tgraph.for %n : tensor<i64> limit 10000 carried(%s = %w : tensor<1048576xf32>) -> tensor<1048576xf32> {
    %2 = tgraph.mul %s, %s : tensor<1048576xf32>
    tgraph.yield %2 : tensor<1048576xf32>
  }
  %1 = tgraph.reduce add %0 dims [0] : tensor<1048576xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func @main(%w: tensor<2048xf32> {tgraph.name = "w"}) -> (tensor<f32> {tgraph.name = "loss"}) {
  // expected-note-re @+2 {{on the way back from what is differentiated: 'tgraph.reduce' ({{.*}}), 'tgraph.window' ({{.*}}), to 'w'}}
  // expected-error @+1 {{'tgraph.window' op has no derivative that is known: more than 1024 elements in a sliding window that does not add them [T0220]}}
  %0 = tgraph.window max %w window [2000] strides [1] dilations [1] pad_low [0] pad_high [0] : tensor<2048xf32> -> tensor<49xf32>
  %1 = tgraph.reduce add %0 dims [0] : tensor<49xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// In a loop, with the way within it and the way to it.
func.func @main(%w: tensor<2048xf32> {tgraph.name = "w"}) -> (tensor<f32> {tgraph.name = "loss"}) {
  %n = tgraph.constant dense<5> : tensor<i64>
  %e = tgraph.exp %w : tensor<2048xf32>
  // expected-note-re @+1 {{on the way back from what is differentiated: 'tgraph.reduce' ({{.*}}), 'tgraph.for' ({{.*}}), 'tgraph.exp' ({{.*}}), to 'w'}}
  %0 = tgraph.for %n : tensor<i64> limit 10 carried(%s = %e : tensor<2048xf32>) -> tensor<2048xf32> {
    // expected-note-re @+2 {{on the way back from what is differentiated: 'tgraph.pad' ({{.*}}), 'tgraph.window' ({{.*}}), to what is differentiated by}}
    // expected-error @+1 {{'tgraph.window' op has no derivative that is known: more than 1024 elements in a sliding window that does not add them [T0220]}}
    %1 = tgraph.window max %s window [2000] strides [1] dilations [1] pad_low [0] pad_high [0] : tensor<2048xf32> -> tensor<49xf32>
    %2 = tgraph.pad %1 low [0] high [1999] value 0.0 : f32 : tensor<49xf32> -> tensor<2048xf32>
    tgraph.yield %2 : tensor<2048xf32>
  }
  %1 = tgraph.reduce add %0 dims [0] : tensor<2048xf32> -> tensor<f32>
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

// -----

func.func @main(%w: tensor<8xf32> {tgraph.name = "w"}) -> (tensor<f32> {tgraph.name = "loss"}) attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  %n = tgraph.constant dense<5> : tensor<i64>
  // expected-note-re @+2 {{on the way back from what is differentiated: 'tgraph.reduce' ({{.*}}), 'tgraph.prefix' ({{.*}}), to 'w'}}
  // expected-error @+1 {{'tgraph.prefix' op has no derivative: a cotangent has no size before the call has counted [T0220]}}
  %0 = tgraph.prefix %w, %n dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
  %1 = tgraph.reduce add %0 dims [0] : tensor<?xf32, #tgraph.dims<[N]>> -> tensor<f32>
  return %1 : tensor<f32>
}
