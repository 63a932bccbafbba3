// Every message of scatter, arg_sort, random and bitcast.
// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<8x4xf32>, %u: tensor<3x4xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{'tgraph.scatter' op expected updates of type 'tensor<2x4xf32>', which the indices name, found 'tensor<3x4xf32>' [T0208]}}
  %0 = tgraph.scatter %x, %u at %i {axis = 0 : i64} : tensor<8x4xf32>, tensor<3x4xf32> at tensor<2xi64> -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<8x4xf32>, %u: tensor<2x4xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{'tgraph.scatter' op expected element type i1 for any, found 'f32' [T0214]}}
  %0 = tgraph.scatter any %x, %u at %i {axis = 0 : i64} : tensor<8x4xf32>, tensor<2x4xf32> at tensor<2xi64> -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<8x4xf32>, %u: tensor<2x4xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{'tgraph.scatter' op expected dimensions axis to axis + 0 to be those of a source of rank 2, found axis 2 [T0204]}}
  %0 = tgraph.scatter %x, %u at %i {axis = 2 : i64} : tensor<8x4xf32>, tensor<2x4xf32> at tensor<2xi64> -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<8x4xf32>, %u: tensor<2x4xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{expected add, mul, max, min, all or any, found 'plus'}}
  %0 = tgraph.scatter plus %x, %u at %i {axis = 0 : i64} : tensor<8x4xf32>, tensor<2x4xf32> at tensor<2xi64> -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tgraph.arg_sort' op expected the first 0 to 8 elements of dimension 0, or -1 for all of them, found 9 [T0206]}}
  %0 = tgraph.arg_sort %x dim 0 first 9 : tensor<8xf32> -> tensor<9xi64>
  return
}

// -----

func.func @f(%k: tensor<ui64>) {
  // expected-error @+1 {{'tgraph.random' op expected a result of ui32 for bits, found 'f32' [T0213]}}
  %0 = tgraph.random bits %k, %k : tensor<ui64> -> tensor<8xf32>
  return
}

// -----

func.func @f(%k: tensor<ui64>) {
  // expected-error @+1 {{'tgraph.random' op expected a result of f16, bf16, f32 or f64 for uniform, found 'i32' [T0213]}}
  %0 = tgraph.random uniform %k, %k : tensor<ui64> -> tensor<8xi32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tgraph.bitcast' op expected element types of equally many bits, 8 at least, found 'f32' and 'i64' [T0213]}}
  %0 = tgraph.bitcast %x : tensor<8xf32> to tensor<8xi64>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tgraph.bitcast' op expected a result with the shape of 'tensor<8xf32>', found 'tensor<4xi32>' [T0203]}}
  %0 = tgraph.bitcast %x : tensor<8xf32> to tensor<4xi32>
  return
}
