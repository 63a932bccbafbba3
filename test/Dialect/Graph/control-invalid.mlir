// Every message of branches and loops.
// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @f(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.if' op expected a region that yields 1 values, one per result, found 0 [T0219]}}
  %0 = "tgraph.if"(%c) ({
    "tgraph.yield"() : () -> ()
  }, {
    "tgraph.yield"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-error @+1 {{'tgraph.if' op expected value 0 of a region to be of the result's type 'tensor<4xf32>', found 'tensor<8xf32>' [T0219]}}
  %0 = tgraph.if %c -> tensor<4xf32> {
    tgraph.yield %x : tensor<4xf32>
  } else {
    tgraph.yield %y : tensor<8xf32>
  }
  return
}

// -----

func.func @f(%c: tensor<i1>) {
  // expected-error @+1 {{'tgraph.if' op expected a region that ends in tgraph.yield [T0219]}}
  "tgraph.if"(%c) ({
    return
  }, {
    return
  }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @f(%c: tensor<2xi1>) {
  // expected-error @+1 {{'tgraph.if' op operand #0 must be tensor<i1>, but got 'tensor<2xi1>'}}
  "tgraph.if"(%c) ({
    "tgraph.yield"() : () -> ()
  }, {
    "tgraph.yield"() : () -> ()
  }) : (tensor<2xi1>) -> ()
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.for' op expected either a count or a tensor that holds it [T0219]}}
  "tgraph.for"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> ({
    "tgraph.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @f(%n: tensor<i64>) {
  // expected-error @+1 {{'tgraph.for' op expected a limit of 0 or more where a tensor holds the count, and only there [T0219]}}
  tgraph.for %n : tensor<i64> limit -1 {
    tgraph.yield
  }
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tgraph.for' op expected one count of 0 or more, found #tgraph.dims<[-1]> [T0219]}}
  tgraph.for #tgraph.dims<[-1]> {
    tgraph.yield
  }
  return
}

// -----

func.func @f(%n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.for' op expected no slices and no stacked results where a tensor holds the count; give the count as a number or a size [T0219]}}
  %0 = tgraph.for %n : tensor<i64> limit 8 -> tensor<8x4xf32> {
    tgraph.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.for' op expected at least 1 results, one per carried value, found 0 [T0219]}}
  tgraph.for 3 carried(%s = %x : tensor<4xf32>) {
    tgraph.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.for' op expected a tensor of 3 slices of 'tensor<f32>', found 'tensor<4xf32>' [T0219]}}
  tgraph.for 3 slices(%s = %x : tensor<4xf32>) {
    tgraph.yield
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.for' op expected result 0 to be 3 slices of 'tensor<4xf32>', found 'tensor<2x4xf32>' [T0219]}}
  %0 = tgraph.for 3 -> tensor<2x4xf32> {
    tgraph.yield %x : tensor<4xf32>
  }
  return
}

// -----

// A value that grows from one iteration to the next.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.for' op expected value 0 of a region to be of the carried type 'tensor<4xf32>', found 'tensor<8xf32>' [T0219]}}
  %0 = tgraph.for 3 carried(%s = %x : tensor<4xf32>) -> tensor<4xf32> {
    %1 = tgraph.concat %s, %s dim 0 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
    tgraph.yield %1 : tensor<8xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.for' op expected result 0 to be of the carried type 'tensor<4xf32>', found 'tensor<2xf32>' [T0219]}}
  %0 = tgraph.for 3 carried(%s = %x : tensor<4xf32>) -> tensor<2xf32> {
    tgraph.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.for' op expected a region of 1 arguments, one for each carried value and slice, found 0 [T0219]}}
  %0 = "tgraph.for"(%x) <{count = #tgraph.dims<[3]>, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
    "tgraph.yield"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.for' op expected argument 0 of the region to be of type 'tensor<4xf32>', found 'tensor<2xf32>' [T0219]}}
  %0 = "tgraph.for"(%x) <{count = #tgraph.dims<[3]>, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
  ^bb0(%s: tensor<2xf32>):
    "tgraph.yield"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tgraph.while' op expected the first carried value to be a predicate of type 'tensor<i1>' [T0219]}}
  %0 = tgraph.while (%s = %x : tensor<4xf32>) limit 3 {
    tgraph.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%c: tensor<i1>) {
  // expected-error @+1 {{'tgraph.while' op expected a limit of 0 or more, found -3 [T0219]}}
  %0 = tgraph.while (%s = %c : tensor<i1>) limit -3 {
    tgraph.yield %s : tensor<i1>
  }
  return
}

// -----

func.func @f(%c: tensor<i1>) {
  // expected-error @+1 {{'tgraph.while' op expected 1 results, one per carried value, found 0 [T0219]}}
  "tgraph.while"(%c) <{limit = 3 : i64}> ({
  ^bb0(%s: tensor<i1>):
    "tgraph.yield"(%s) : (tensor<i1>) -> ()
  }) : (tensor<i1>) -> ()
  return
}
