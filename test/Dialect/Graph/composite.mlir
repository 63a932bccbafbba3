// Round trip of the composites.
// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @composites
func.func @composites(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>, %i: tensor<1x4x8x8xf32>, %c: tensor<4xf32>, %v: tensor<4xf32>) {
  // CHECK: tgraph.relu %{{.*}} : tensor<4xf32>
  %0 = tgraph.relu %v : tensor<4xf32>
  // CHECK: tgraph.gelu erf %{{.*}} : tensor<4xf32>
  %1 = tgraph.gelu erf %v : tensor<4xf32>
  // CHECK: tgraph.gelu tanh %{{.*}} : tensor<4x8xf32>
  %2 = tgraph.gelu tanh %x : tensor<4x8xf32>
  // CHECK: tgraph.softmax %{{.*}} dim 1 : tensor<4x8xf32>
  %3 = tgraph.softmax %x dim 1 : tensor<4x8xf32>
  // CHECK: tgraph.log_softmax %{{.*}} dim 1 : tensor<4x8xf32>
  %4 = tgraph.log_softmax %x dim 1 : tensor<4x8xf32>
  // CHECK: tgraph.layer_norm %{{.*}} scale %{{.*}} : tensor<8xf32> bias %{{.*}} : tensor<8xf32> dims [1] eps {{.*}} : tensor<4x8xf32>
  %5 = tgraph.layer_norm %x scale %s : tensor<8xf32> bias %b : tensor<8xf32> dims [1] eps 1.0e-05 : tensor<4x8xf32>
  // CHECK: tgraph.layer_norm %{{.*}} dims [0, 1] eps {{.*}} : tensor<4x8xf32>
  %6 = tgraph.layer_norm %x dims [0, 1] eps 1.0e-05 : tensor<4x8xf32>
  // CHECK: tgraph.layer_norm %{{.*}} bias %{{.*}} : tensor<8xf32> dims [1] eps {{.*}} : tensor<4x8xf32>
  %7 = tgraph.layer_norm %x bias %b : tensor<8xf32> dims [1] eps 1.0e-05 : tensor<4x8xf32>
  // CHECK: tgraph.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} eps {{.*}} : tensor<1x4x8x8xf32>, tensor<4xf32>
  %8 = tgraph.batch_norm %i, %c, %c, %c, %c eps 1.0e-05 : tensor<1x4x8x8xf32>, tensor<4xf32>
  return
}

