// Round trip of constants and iota.
// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: tgraph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = tgraph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: tgraph.constant dense<7> : tensor<2x3xui8>
  %1 = tgraph.constant dense<7> : tensor<2x3xui8>
  // CHECK: tgraph.constant dense<true> : tensor<i1>
  %2 = tgraph.constant dense<true> : tensor<i1>
  // CHECK: tgraph.constant #tgraph.file<"model.onnx", 1234, 37632> : tensor<64x3x7x7xf32>
  %3 = tgraph.constant #tgraph.file<"model.onnx", 1234, 37632> : tensor<64x3x7x7xf32>
  // CHECK: tgraph.constant {note = "w"} #tgraph.file<"a.data", 0, 3> : tensor<3xi1>
  %4 = tgraph.constant {note = "w"} #tgraph.file<"a.data", 0, 3> : tensor<3xi1>
  // CHECK: tgraph.constant #tgraph.file<"a.data", 8, 2> : tensor<3xi4>
  %5 = tgraph.constant #tgraph.file<"a.data", 8, 2> : tensor<3xi4>
  // CHECK: tgraph.size <[7]> : tensor<f32>
  %size = tgraph.size <[7]> : tensor<f32>
  // CHECK: tgraph.iota dim 1 : tensor<2x3xi64>
  %6 = tgraph.iota dim 1 : tensor<2x3xi64>
  // CHECK: tgraph.iota dim 0 : tensor<4xf32>
  %7 = tgraph.iota dim 0 : tensor<4xf32>
  return
}

