// Dynamic dimensions are symbols: parsed, normalised, printed, inferred.
// RUN: tensor-opt %s | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @symbols
// CHECK-SAME: #tgraph.dims<[S, 4]>
// CHECK-SAME: S = #tgraph.symbol<min = 8, max = 32768, step = 8>
func.func @symbols(%x: tensor<?x4xf32, #tgraph.dims<[S, 4]>>, %y: tensor<?x4xf32, #tgraph.dims<[T, 4]>>)
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 8, max = 32768, step = 8>,
                                  T = #tgraph.symbol<min = 0, max = 7, step = 1>}} {
  // CHECK: tgraph.exp %{{.*}} : tensor<?x4xf32, #tgraph.dims<[S, 4]>>
  %0 = tgraph.exp %x : tensor<?x4xf32, #tgraph.dims<[S, 4]>>
  // CHECK: -> tensor<?x4xf32, #tgraph.dims<[2 * S + T, 4]>>
  %1 = tgraph.concat %x, %y, %x dim 0
      : tensor<?x4xf32, #tgraph.dims<[S, 4]>>, tensor<?x4xf32, #tgraph.dims<[T, 4]>>,
        tensor<?x4xf32, #tgraph.dims<[S, 4]>> -> tensor<?x4xf32, #tgraph.dims<[T + S * 2, 4]>>
  // CHECK: -> tensor<4x?xf32, #tgraph.dims<[4, S]>>
  %2 = tgraph.permute %x [1, 0]
      : tensor<?x4xf32, #tgraph.dims<[S, 4]>> -> tensor<4x?xf32, #tgraph.dims<[4, S]>>
  // CHECK: -> tensor<?xf32, #tgraph.dims<[4 * S]>>
  %3 = tgraph.reshape %x
      : tensor<?x4xf32, #tgraph.dims<[S, 4]>> -> tensor<?xf32, #tgraph.dims<[4 * S]>>
  // A product of symbols; its factors come in the order of their names.
  // CHECK: tgraph.iota dim 0 : tensor<?xf32, #tgraph.dims<[S + 2 * S * T]>>
  %p = tgraph.iota dim 0 : tensor<?xf32, #tgraph.dims<[T * S * 2 + S]>>
  // CHECK: -> tensor<?x4xf32, #tgraph.dims<[S + 2, 4]>>
  %4 = tgraph.pad %x low [1, 0] high [1, 0] value 0.0 : f32
      : tensor<?x4xf32, #tgraph.dims<[S, 4]>> -> tensor<?x4xf32, #tgraph.dims<[2 + S, 4]>>
  // CHECK: -> tensor<?x4xf32, #tgraph.dims<[S - 1, 4]>>
  %5 = tgraph.window add %x window [2, 1] strides [1, 1] dilations [1, 1] pad_low [0, 0] pad_high [0, 0]
      : tensor<?x4xf32, #tgraph.dims<[S, 4]>> -> tensor<?x4xf32, #tgraph.dims<[S - 1, 4]>>
  // CHECK: -> tensor<?x?xf32, #tgraph.dims<[S, T]>>
  %6 = tgraph.contract "sk,tk->st" %x, %y
      : tensor<?x4xf32, #tgraph.dims<[S, 4]>>, tensor<?x4xf32, #tgraph.dims<[T, 4]>>
      -> tensor<?x?xf32, #tgraph.dims<[S, T]>>
  return
}

// Quotients are symbols that are named by what they are: rounded down, or exact where steps say so.
// CHECK-LABEL: func.func @quotients
// CHECK-SAME: #tgraph.dims<[(T floordiv 2), ((T + 3) floordiv 4), S / 4, 3 * S / 8, 2 * ((S + T) floordiv 3) * T]>
func.func @quotients(%x: tensor<?x4xf32, #tgraph.dims<[S, 4]>>, %y: tensor<?x4xf32, #tgraph.dims<[T, 4]>>,
                     %z: tensor<?x?x?x?x?xf32, #tgraph.dims<[T floordiv 2, ((T + 1) floordiv 2 + 1) floordiv 2, 2 * S / 8, S / 4 + S / 8, T * 2 * ((T + S) floordiv 3)]>>)
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 8, max = 32768, step = 8>,
                                  T = #tgraph.symbol<min = 0, max = 7, step = 1>}} {
  // CHECK: -> tensor<?x4x4xf32, #tgraph.dims<[S / 4, 4, 4]>>
  %0 = tgraph.reshape %x : tensor<?x4xf32, #tgraph.dims<[S, 4]>> -> tensor<?x4x4xf32, #tgraph.dims<[S / 4, 4, 4]>>
  // CHECK: -> tensor<?x4xf32, #tgraph.dims<[S / 2, 4]>>
  %1 = tgraph.window max %x window [2, 1] strides [2, 1] dilations [1, 1] pad_low [0, 0] pad_high [0, 0]
      : tensor<?x4xf32, #tgraph.dims<[S, 4]>> -> tensor<?x4xf32, #tgraph.dims<[S / 2, 4]>>
  // CHECK: -> tensor<?x4xf32, #tgraph.dims<[((T + 1) floordiv 2), 4]>>
  %2 = tgraph.window max %y window [3, 1] strides [2, 1] dilations [1, 1] pad_low [1, 0] pad_high [1, 0]
      : tensor<?x4xf32, #tgraph.dims<[T, 4]>> -> tensor<?x4xf32, #tgraph.dims<[(T - 1) floordiv 2 + 1, 4]>>
  return
}

// CHECK-LABEL: func.func @names
// CHECK-SAME: {tgraph.name = "x"}
// CHECK-SAME: {tgraph.name = "y"}
func.func @names(%x: tensor<4xf32> {tgraph.name = "x"}) -> (tensor<4xf32> {tgraph.name = "y"}) {
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @quoted
// CHECK-SAME: #tgraph.dims<["batch size", 3 * "batch size" - 1, -2 * _a + 9]>
func.func @quoted(%x: tensor<?x?x?xf32, #tgraph.dims<["batch size", "batch size" * 3 - 1, 9 - 2 * _a]>>) {
  return
}

// CHECK-LABEL: func.func @pairs
// CHECK-SAME: {tgraph.complex}
func.func @pairs(%x: tensor<?x2xf32, #tgraph.dims<[S, 2]>> {tgraph.complex}) -> (tensor<2xf64> {tgraph.complex})
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 8, step = 1>}} {
  %0 = tgraph.constant dense<1.0> : tensor<2xf64>
  return %0 : tensor<2xf64>
}
