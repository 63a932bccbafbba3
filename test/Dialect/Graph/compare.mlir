// Round trip of compare, select, clamp, cast.
// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @compare
func.func @compare(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: tgraph.compare eq, %{{.*}}, %{{.*}} : tensor<4xf32>
  %0 = tgraph.compare eq, %a, %b : tensor<4xf32>
  // CHECK: tgraph.compare ne, %{{.*}}, %{{.*}} : tensor<4xf32>
  %1 = tgraph.compare ne, %a, %b : tensor<4xf32>
  // CHECK: tgraph.compare lt, %{{.*}}, %{{.*}} : tensor<4xf32>
  %2 = tgraph.compare lt, %a, %b : tensor<4xf32>
  // CHECK: tgraph.compare le, %{{.*}}, %{{.*}} : tensor<4xf32>
  %3 = tgraph.compare le, %a, %b : tensor<4xf32>
  // CHECK: tgraph.compare gt, %{{.*}}, %{{.*}} : tensor<4xf32>
  %4 = tgraph.compare gt, %a, %b : tensor<4xf32>
  // CHECK: tgraph.compare ge, %{{.*}}, %{{.*}} : tensor<4xf32>
  %5 = tgraph.compare ge, %a, %b : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @choose
func.func @choose(%c: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>, %x: tensor<4xf32>, %low: tensor<4xf32>, %high: tensor<4xf32>) {
  // CHECK: tgraph.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
  %0 = tgraph.select %c, %a, %b : tensor<4xf32>
  // CHECK: tgraph.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
  %1 = tgraph.clamp %x, %low, %high : tensor<4xf32>
  // CHECK: tgraph.cast %{{.*}} : tensor<4xf32> to tensor<4xi8>
  %2 = tgraph.cast %x : tensor<4xf32> to tensor<4xi8>
  // CHECK: tgraph.cast %{{.*}} : tensor<4xi1> to tensor<4xui8>
  %3 = tgraph.cast %c : tensor<4xi1> to tensor<4xui8>
  return
}

