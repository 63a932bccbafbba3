// RUN: tensor-opt %s --graph-split-constants="max-bytes=256" | FileCheck %s
// RUN: tensor-opt %s --graph-split-constants | FileCheck %s --check-prefix=WHOLE

// WHOLE-NOT: tgraph.concat

// Rows that the result has: products beside each other.
// CHECK-LABEL: @columns
// CHECK: %[[W0:.*]] = tgraph.constant #tgraph.file<"m.onnx", 64, 192> : tensor<6x8xf32>
// CHECK: %[[R0:.*]] = tgraph.contract "mk,nk->mn" %{{.*}}, %[[W0]] : tensor<2x8xf32>, tensor<6x8xf32> -> tensor<2x6xf32>
// CHECK: tgraph.constant #tgraph.file<"m.onnx", 256, 192> : tensor<6x8xf32>
// CHECK: tgraph.constant #tgraph.file<"m.onnx", 448, 160> : tensor<5x8xf32>
// CHECK: %[[R2:.*]] = tgraph.contract {{.*}} -> tensor<2x5xf32>
// CHECK: tgraph.concat %[[R0]], %{{.*}}, %[[R2]] dim 1
func.func @columns(%x: tensor<2x8xf32>) -> tensor<2x17xf32> {
  %w = tgraph.constant #tgraph.file<"m.onnx", 64, 544> : tensor<17x8xf32>
  %r = tgraph.contract "mk,nk->mn" %x, %w : tensor<2x8xf32>, tensor<17x8xf32> -> tensor<2x17xf32>
  return %r : tensor<2x17xf32>
}

// Rows that are summed over: the other operand is cut too.
// CHECK-LABEL: @sum
// CHECK: %[[X0:.*]] = tgraph.slice %{{.*}} offsets [0, 0] sizes [2, 8] strides [1, 1]
// CHECK: %[[R0:.*]] = tgraph.contract "kn,mk->mn" %{{.*}}, %[[X0]]
// CHECK: %[[X1:.*]] = tgraph.slice %{{.*}} offsets [0, 8] sizes [2, 8] strides [1, 1]
// CHECK: %[[R1:.*]] = tgraph.contract "kn,mk->mn" %{{.*}}, %[[X1]]
// CHECK: tgraph.add %[[R0]], %[[R1]]
func.func @sum(%x: tensor<2x16xf32>) -> tensor<2x8xf32> {
  %w = tgraph.constant #tgraph.file<"m.onnx", 0, 512> : tensor<16x8xf32>
  %r = tgraph.contract "kn,mk->mn" %w, %x : tensor<16x8xf32>, tensor<2x16xf32> -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// A weight that fits, one whose rows do not, and one that is not in a file.
// CHECK-LABEL: @whole
// CHECK-NOT: tgraph.concat
func.func @whole(%x: tensor<2x8xf32>, %y: tensor<2x65xf32>, %z: tensor<17x8xf32>) -> (tensor<2x8xf32>, tensor<2x2xf32>, tensor<2x17xf32>) {
  %v = tgraph.constant #tgraph.file<"m.onnx", 0, 256> : tensor<8x8xf32>
  %a = tgraph.contract "mk,nk->mn" %x, %v : tensor<2x8xf32>, tensor<8x8xf32> -> tensor<2x8xf32>
  %w = tgraph.constant #tgraph.file<"m.onnx", 0, 520> : tensor<2x65xf32>
  %b = tgraph.contract "mk,nk->mn" %y, %w : tensor<2x65xf32>, tensor<2x65xf32> -> tensor<2x2xf32>
  %c = tgraph.contract "mk,nk->mn" %x, %z : tensor<2x8xf32>, tensor<17x8xf32> -> tensor<2x17xf32>
  return %a, %b, %c : tensor<2x8xf32>, tensor<2x2xf32>, tensor<2x17xf32>
}
