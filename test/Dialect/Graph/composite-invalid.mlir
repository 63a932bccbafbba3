// Every message of the composites.
// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tgraph.softmax' op expected dim to be from 0 to 1 for a tensor of rank 2, found 2 [T0204]}}
  %0 = tgraph.softmax %x dim 2 : tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tgraph.log_softmax' op expected dim to be from 0 to 1 for a tensor of rank 2, found -1 [T0204]}}
  %0 = tgraph.log_softmax %x dim -1 : tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tgraph.layer_norm' op expected at least one dimension in dims, ascending, found [1, 0] [T0204]}}
  %0 = tgraph.layer_norm %x dims [1, 0] eps 0.1 : tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tgraph.layer_norm' op expected at least one dimension in dims, ascending, found [] [T0204]}}
  %0 = tgraph.layer_norm %x dims [] eps 0.1 : tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.layer_norm' op expected scale of type 'tensor<8xf32>', found 'tensor<4xf32>' [T0208]}}
  %0 = tgraph.layer_norm %x scale %s : tensor<4xf32> dims [1] eps 0.1 : tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.layer_norm' op expected bias of type 'tensor<8xf32>', found 'tensor<4xf32>' [T0208]}}
  %0 = tgraph.layer_norm %x bias %s : tensor<4xf32> dims [1] eps 0.1 : tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.batch_norm' op expected parameters of type 'tensor<8xf32>', one per channel, found 'tensor<4xf32>' [T0208]}}
  %0 = tgraph.batch_norm %x, %s, %s, %s, %s eps 0.1 : tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.batch_norm' op expected an operand of rank 2 or more, found rank 1 [T0208]}}
  %0 = tgraph.batch_norm %x, %x, %x, %x, %x eps 0.1 : tensor<4xf32>, tensor<4xf32>
  return
}
