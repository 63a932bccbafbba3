// Every message of the ops that move elements.
// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.permute' op expected 2 entries in the permutation, found 1 [T0205]}}
  %0 = tgraph.permute %x [1] : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.permute' op expected each dimension once in the permutation, found 1 twice [T0204]}}
  %0 = tgraph.permute %x [1, 1] : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.permute' op expected the permutation to be from 0 to 1 for a tensor of rank 2, found 2 [T0204]}}
  %0 = tgraph.permute %x [0, 2] : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.permute' op expected result type 'tensor<3x2xf32>', found 'tensor<2x3xf32>' [T0203]}}
  %0 = tgraph.permute %x [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.reshape' op expected as many elements in the result as in the operand (2x3), found 5 [T0212]}}
  %0 = tgraph.reshape %x : tensor<2x3xf32> -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.reshape' op expected as many elements in the result as in the operand (2x3), found scalar [T0212]}}
  %0 = tgraph.reshape %x : tensor<2x3xf32> -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.reshape' op expected result element type 'f32', found 'f64' [T0213]}}
  %0 = tgraph.reshape %x : tensor<2x3xf32> -> tensor<6xf64>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.expand' op expected dimension 0 of the result to stay 2 (only a dimension of size 1 is repeated), found 4 [T0208]}}
  %0 = tgraph.expand %x : tensor<2x3xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.expand' op expected a result of the operand's rank 2, found rank 3; add dimensions of size 1 with tgraph.reshape first [T0208]}}
  %0 = tgraph.expand %x : tensor<2x3xf32> -> tensor<1x2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.expand' op expected result element type 'f32', found 'i32' [T0213]}}
  %0 = tgraph.expand %x : tensor<2x3xf32> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.pad' op expected 2 entries in low, found 1 [T0205]}}
  %0 = tgraph.pad %x low [0] high [0, 0] value 0.0 : f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.pad' op expected entry 1 of high to be from 0 to 2147483647, found -1 [T0206]}}
  %0 = tgraph.pad %x low [0, 0] high [0, -1] value 0.0 : f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.pad' op expected a number of the element type 'f32' as value, found 0 : i32 [T0211]}}
  %0 = tgraph.pad %x low [0, 0] high [0, 1] value 0 : i32 : tensor<2x3xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9223372036854775807xf32>) {
  // expected-error @+1 {{'tgraph.pad' op expected a padded size below 2^63 for dimension 0 [T0206]}}
  %0 = tgraph.pad %x low [1] high [0] value 0.0 : f32 : tensor<9223372036854775807xf32> -> tensor<1xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.slice' op expected the last element along dimension 1 to lie below its size 3, found index 3 [T0206]}}
  %0 = tgraph.slice %x offsets [0, 1] sizes [2, 2] strides [1, 2] : tensor<2x3xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.slice' op expected entry 1 of strides to be from 1 to 2147483647, found 0 [T0206]}}
  %0 = tgraph.slice %x offsets [0, 1] sizes [2, 1] strides [1, 0] : tensor<2x3xf32> -> tensor<2x1xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.flip' op expected dims to be from 0 to 1 for a tensor of rank 2, found 2 [T0204]}}
  %0 = tgraph.flip %x dims [2] : tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.concat' op expected at least one operand, found none [T0208]}}
  %0 = "tgraph.concat"() <{dim = 0 : i64}> : () -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+1 {{'tgraph.concat' op expected operand 1 to differ from 'tensor<2x3xf32>' in dimension 0 only, found 'tensor<2x4xf32>' [T0208]}}
  %0 = tgraph.concat %x, %y dim 0 : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf64>) {
  // expected-error @+1 {{'tgraph.concat' op expected element type 'f32' of operand 1, found 'f64' [T0213]}}
  %0 = tgraph.concat %x, %y dim 0 : tensor<2x3xf32>, tensor<2x3xf64> -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'tgraph.concat' op expected dim to be from 0 to 1 for a tensor of rank 2, found 2 [T0204]}}
  %0 = tgraph.concat %x, %x dim 2 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %u: tensor<2x3xf64>) {
  // expected-error @+1 {{'tgraph.update_slice' op expected an update of the rank and element type of 'tensor<2x3xf32>', found 'tensor<2x3xf64>' [T0208]}}
  %0 = tgraph.update_slice %x, %u at <[0, 0]> : tensor<2x3xf32>, tensor<2x3xf64> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %u: tensor<2x1xf32>) {
  // expected-error @+1 {{'tgraph.update_slice' op expected one offset per dimension of 'tensor<2x3xf32>', found #tgraph.dims<[0]> [T0208]}}
  %0 = tgraph.update_slice %x, %u at <[0]> : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %u: tensor<2x1xf32>, %p: tensor<i64>) {
  // expected-error @+1 {{'tgraph.update_slice' op expected along to be from 0 to 1 for a tensor of rank 2, found 2 [T0204]}}
  %0 = tgraph.update_slice %x, %u at <[0, 0]> plus %p along [2] : tensor<2x3xf32>, tensor<2x1xf32>, tensor<i64> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %u: tensor<2x1xf32>, %p: tensor<1xi64>) {
  // expected-error @+1 {{'tgraph.update_slice' op expected positions to be scalars, found 'tensor<1xi64>' [T0208]}}
  %0 = tgraph.update_slice %x, %u at <[0, 0]> plus %p along [1] : tensor<2x3xf32>, tensor<2x1xf32>, tensor<1xi64> -> tensor<2x3xf32>
  return
}
