// Every message of window, reduce, arg_reduce, scan.
// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.window' op expected add, mul, max or min, found all [T0214]}}
  %0 = tgraph.window all %x window [1, 2] strides [1, 2] dilations [1, 1] pad_low [0, 0] pad_high [0, 1] : tensor<4x5xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.window' op expected 2 entries in window, found 1 [T0205]}}
  %0 = tgraph.window max %x window [2] strides [1, 2] dilations [1, 1] pad_low [0, 0] pad_high [0, 1] : tensor<4x5xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.window' op expected entry 1 of window to be from 1 to 2147483647, found 0 [T0206]}}
  %0 = tgraph.window max %x window [1, 0] strides [1, 2] dilations [1, 1] pad_low [0, 0] pad_high [0, 1] : tensor<4x5xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32, #tgraph.dims<[S]>>) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 2, max = 8, step = 2>}} {
  // expected-error @+1 {{'tgraph.window' op expected result type 'tensor<?xf32, #tgraph.dims<[S / 2]>>', found 'tensor<?xf32, #tgraph.dims<[S]>>' [T0203]}}
  %0 = tgraph.window max %x window [2] strides [2] dilations [1] pad_low [0] pad_high [0] : tensor<?xf32, #tgraph.dims<[S]>> -> tensor<?xf32, #tgraph.dims<[S]>>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.reduce' op expected each dimension once in dims, found 1 twice [T0204]}}
  %0 = tgraph.reduce add %x dims [1, 1] : tensor<4x5xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.reduce' op expected element type i1 for any, found 'f32' [T0214]}}
  %0 = tgraph.reduce any %x dims [1] : tensor<4x5xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.reduce' op expected result type 'tensor<4xf32>', found 'tensor<4x1xf32>' [T0203]}}
  %0 = tgraph.reduce add %x dims [1] : tensor<4x5xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.arg_reduce' op expected max or min, found add [T0214]}}
  %0 = tgraph.arg_reduce add %x dim 1 : tensor<4x5xf32> -> tensor<4xi64>
  return
}

// -----

func.func @f(%x: tensor<4x0xf32>) {
  // expected-error @+1 {{'tgraph.arg_reduce' op expected at least one element along dimension 1, found none [T0208]}}
  %0 = tgraph.arg_reduce max %x dim 1 : tensor<4x0xf32> -> tensor<4xi64>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.arg_reduce' op expected dim to be from 0 to 1 for a tensor of rank 2, found -1 [T0204]}}
  %0 = tgraph.arg_reduce max %x dim -1 : tensor<4x5xf32> -> tensor<4xi64>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.scan' op expected add, mul, max or min, found any [T0214]}}
  %0 = tgraph.scan any %x dim 1 : tensor<4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.scan' op expected dim to be from 0 to 1 for a tensor of rank 2, found 2 [T0204]}}
  %0 = tgraph.scan add %x dim 2 : tensor<4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %y: tensor<4x6xf32>) {
  // expected-error @+1 {{'tgraph.associative_scan' op expected operands of one shape, found 4x5, and 4x6 of operand 1 [T0208]}}
  %0:2 = tgraph.associative_scan %x, %y dim 1 : tensor<4x5xf32>, tensor<4x6xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    tgraph.yield %c, %d : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.associative_scan' op expected dim to be from 0 to 1 for a tensor of rank 2, found 2 [T0204]}}
  %0 = tgraph.associative_scan %x dim 2 : tensor<4x5xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    tgraph.yield %b : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.associative_scan' op expected a region of 2 arguments, what is combined and the next elements, found 1 [T0219]}}
  %0 = tgraph.associative_scan %x dim 1 : tensor<4x5xf32> {
  ^bb0(%a: tensor<f32>):
    tgraph.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<4x5xf16>) {
  // expected-error @+1 {{'tgraph.associative_scan' op expected argument 0 of the region to be of type 'tensor<f32>', found 'tensor<f16>' [T0219]}}
  %0 = tgraph.associative_scan %x dim 1 : tensor<4x5xf16> {
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    tgraph.yield %a : tensor<f16>
  }
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.associative_scan' op expected a region that yields 1 values, one per operand [T0219]}}
  %0 = tgraph.associative_scan %x dim 1 : tensor<4x5xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    tgraph.yield %a, %b : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.associative_scan' op expected value 0 of the region to be of type 'tensor<f32>', found 'tensor<i1>' [T0219]}}
  %0 = tgraph.associative_scan %x dim 1 : tensor<4x5xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = tgraph.compare lt, %a, %b : tensor<f32>
    tgraph.yield %c : tensor<i1>
  }
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tgraph.associative_scan' op expected a region of elementwise ops and constants on scalars, found 'tgraph.reduce' [T0219]}}
  %0 = tgraph.associative_scan %x dim 1 : tensor<4x5xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = tgraph.reduce add %a dims [] : tensor<f32> -> tensor<f32>
    tgraph.yield %c : tensor<f32>
  }
  return
}

// -----

func.func @scan_of_random(%k: tensor<5xui64>, %c: tensor<5xui64>) -> tensor<5xui64> {
  // expected-error @+1 {{'tgraph.associative_scan' op expected a region of elementwise ops and constants on scalars, found 'tgraph.random' [T0219]}}
  %a:2 = tgraph.associative_scan %k, %c dim 0 : tensor<5xui64>, tensor<5xui64> {
  ^bb0(%p: tensor<ui64>, %p1: tensor<ui64>, %q: tensor<ui64>, %q1: tensor<ui64>):
    %r = tgraph.random bits %p, %q1 : tensor<ui64> -> tensor<ui32>
    %s = tgraph.cast %r : tensor<ui32> to tensor<ui64>
    tgraph.yield %s, %q1 : tensor<ui64>, tensor<ui64>
  }
  return %a#0 : tensor<5xui64>
}
