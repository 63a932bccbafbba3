// Round trip of the elementwise ops of two operands.
// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @floats
func.func @floats(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: tgraph.add %{{.*}}, %{{.*}} : tensor<4xf32>
  %add = tgraph.add %a, %b : tensor<4xf32>
  // CHECK: tgraph.sub %{{.*}}, %{{.*}} : tensor<4xf32>
  %sub = tgraph.sub %a, %b : tensor<4xf32>
  // CHECK: tgraph.mul %{{.*}}, %{{.*}} : tensor<4xf32>
  %mul = tgraph.mul %a, %b : tensor<4xf32>
  // CHECK: tgraph.div %{{.*}}, %{{.*}} : tensor<4xf32>
  %div = tgraph.div %a, %b : tensor<4xf32>
  // CHECK: tgraph.rem %{{.*}}, %{{.*}} : tensor<4xf32>
  %rem = tgraph.rem %a, %b : tensor<4xf32>
  // CHECK: tgraph.mod %{{.*}}, %{{.*}} : tensor<4xf32>
  %mod = tgraph.mod %a, %b : tensor<4xf32>
  // CHECK: tgraph.pow %{{.*}}, %{{.*}} : tensor<4xf32>
  %pow = tgraph.pow %a, %b : tensor<4xf32>
  // CHECK: tgraph.minimum %{{.*}}, %{{.*}} : tensor<4xf32>
  %minimum = tgraph.minimum %a, %b : tensor<4xf32>
  // CHECK: tgraph.maximum %{{.*}}, %{{.*}} : tensor<4xf32>
  %maximum = tgraph.maximum %a, %b : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @integers
func.func @integers(%a: tensor<4xi32>, %b: tensor<4xi32>) {
  // CHECK: tgraph.add %{{.*}}, %{{.*}} : tensor<4xi32>
  %add = tgraph.add %a, %b : tensor<4xi32>
  // CHECK: tgraph.sub %{{.*}}, %{{.*}} : tensor<4xi32>
  %sub = tgraph.sub %a, %b : tensor<4xi32>
  // CHECK: tgraph.mul %{{.*}}, %{{.*}} : tensor<4xi32>
  %mul = tgraph.mul %a, %b : tensor<4xi32>
  // CHECK: tgraph.div %{{.*}}, %{{.*}} : tensor<4xi32>
  %div = tgraph.div %a, %b : tensor<4xi32>
  // CHECK: tgraph.rem %{{.*}}, %{{.*}} : tensor<4xi32>
  %rem = tgraph.rem %a, %b : tensor<4xi32>
  // CHECK: tgraph.mod %{{.*}}, %{{.*}} : tensor<4xi32>
  %mod = tgraph.mod %a, %b : tensor<4xi32>
  // CHECK: tgraph.pow %{{.*}}, %{{.*}} : tensor<4xi32>
  %pow = tgraph.pow %a, %b : tensor<4xi32>
  // CHECK: tgraph.minimum %{{.*}}, %{{.*}} : tensor<4xi32>
  %minimum = tgraph.minimum %a, %b : tensor<4xi32>
  // CHECK: tgraph.maximum %{{.*}}, %{{.*}} : tensor<4xi32>
  %maximum = tgraph.maximum %a, %b : tensor<4xi32>
  // CHECK: tgraph.and %{{.*}}, %{{.*}} : tensor<4xi32>
  %and = tgraph.and %a, %b : tensor<4xi32>
  // CHECK: tgraph.or %{{.*}}, %{{.*}} : tensor<4xi32>
  %or = tgraph.or %a, %b : tensor<4xi32>
  // CHECK: tgraph.xor %{{.*}}, %{{.*}} : tensor<4xi32>
  %xor = tgraph.xor %a, %b : tensor<4xi32>
  // CHECK: tgraph.shl %{{.*}}, %{{.*}} : tensor<4xi32>
  %shl = tgraph.shl %a, %b : tensor<4xi32>
  // CHECK: tgraph.shr %{{.*}}, %{{.*}} : tensor<4xi32>
  %shr = tgraph.shr %a, %b : tensor<4xi32>
  return
}
