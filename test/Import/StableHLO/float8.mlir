// Floats of 8 bits, as JAX has them: conversions give NaN beyond the largest number, products have sums in f32, maxima begin with the least number, bits are those of bytes.
// RUN: cp %s %t.stablehlo.mlir && tensor-run %t.stablehlo.mlir --compare=interpreter --no-cache --quiet | FileCheck %s
// RUN: tensor-translate --import=%t.stablehlo.mlir | FileCheck %s --check-prefix=GRAPH
// CHECK: compare  result0 with interpreter: {{.*}}: ok
// CHECK: compare  result1 with interpreter: {{.*}}: ok
// CHECK: compare  result2 with interpreter: max error 0 {{.*}}: ok
// CHECK: compare  result3 with interpreter: max error 0 {{.*}}: ok
// GRAPH: tgraph.cast %arg0 : tensor<4x8xf32> to tensor<4x8xf8E4M3FN>
// GRAPH: tgraph.reduce{{ +}}max {{.*}} : tensor<4x8xf8E4M3FN> -> tensor<4xf8E4M3FN>
module @jit_f {
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x4xf8E5M2>) -> (tensor<4x4xf32>, tensor<4xf8E4M3FN>, tensor<8x4xui8>, tensor<4x2xf8E5M2>) {
    %0 = stablehlo.convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xf8E4M3FN>
    %1 = stablehlo.convert %arg1 : (tensor<8x4xf8E5M2>) -> tensor<8x4xf8E4M3FN>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf8E4M3FN>, tensor<8x4xf8E4M3FN>) -> tensor<4x4xf32>
    %cst = stablehlo.constant dense<0xFE> : tensor<f8E4M3FN>
    %3 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<4xf8E4M3FN>
    %4 = stablehlo.bitcast_convert %arg1 : (tensor<8x4xf8E5M2>) -> tensor<8x4xui8>
    %5 = stablehlo.slice %arg0 [0:4, 0:1] : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %6 = stablehlo.reshape %5 : (tensor<4x1xf32>) -> tensor<4xf32>
    %7 = stablehlo.convert %6 : (tensor<4xf32>) -> tensor<4xbf16>
    %8 = stablehlo.bitcast_convert %7 : (tensor<4xbf16>) -> tensor<4x2xf8E5M2>
    return %2, %3, %4, %8 : tensor<4x4xf32>, tensor<4xf8E4M3FN>, tensor<8x4xui8>, tensor<4x2xf8E5M2>
  }
}
