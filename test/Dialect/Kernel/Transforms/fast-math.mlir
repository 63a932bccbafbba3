// What flags let kernels be changed to, and that without each nothing is.
// RUN: tensor-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-to-view,view-to-kernel,kernel-fuse))" | FileCheck %s

// A flag of the function is one of all that it computes, and a flag of an op one of its kernel.
// CHECK-LABEL: func.func @flags
// CHECK: arith.addf {{.*}} fastmath<contract> : f32
// CHECK: math.exp {{.*}} fastmath<contract,afn> : f32
// CHECK: tkernel.reduce maximumf {{.*}} {fastmath = #arith.fastmath<contract>}
func.func @flags(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) attributes {tgraph.fastmath = #arith.fastmath<contract>} {
  %0 = tgraph.add %x, %x : tensor<4x8xf32>
  %1 = tgraph.exp %0 {tgraph.fastmath = #arith.fastmath<afn>} : tensor<4x8xf32>
  %2 = tgraph.reduce max %1 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @times_zero(
// CHECK-NOT: mulf
// CHECK: tkernel.store %{{cst.*}}, 0
func.func @times_zero(%x: tensor<8xf32>) -> tensor<8xf32> attributes {tgraph.fastmath = #arith.fastmath<nnan,nsz>} {
  %zero = tgraph.constant dense<0.0> : tensor<8xf32>
  %0 = tgraph.mul %x, %zero : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A NaN may not become zero.
// CHECK-LABEL: func.func @times_zero_of_any
// CHECK: arith.mulf {{.*}} fastmath<nsz> : f32
func.func @times_zero_of_any(%x: tensor<8xf32>) -> tensor<8xf32> attributes {tgraph.fastmath = #arith.fastmath<nsz>} {
  %zero = tgraph.constant dense<0.0> : tensor<8xf32>
  %0 = tgraph.mul %x, %zero : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @sum_of_broadcast
// CHECK: tkernel.kernel @{{.*}}(%i : 4)
// CHECK: %[[N:.*]] = arith.constant 6.400000e+01 : f32
// CHECK: %[[X:.*]] = tkernel.load
// CHECK: arith.mulf %[[X]], %[[N]] fastmath<reassoc> : f32
func.func @sum_of_broadcast(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tgraph.fastmath = #arith.fastmath<reassoc>} {
  %0 = tgraph.reshape %x : tensor<4xf32> -> tensor<4x1xf32>
  %1 = tgraph.expand %0 : tensor<4x1xf32> -> tensor<4x64xf32>
  %2 = tgraph.reduce add %1 dims [1] : tensor<4x64xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// One of two axes, and none without the flag.
// CHECK-LABEL: func.func @sum_of_rows(
// CHECK: tkernel.reduce addf %{{.*}} over (%j) {fastmath = #arith.fastmath<reassoc>} : f32
// CHECK: arith.mulf {{.*}} fastmath<reassoc> : f32
func.func @sum_of_rows(%x: tensor<64xf32>) -> tensor<f32> {
  %0 = tgraph.reshape %x : tensor<64xf32> -> tensor<1x64xf32>
  %1 = tgraph.expand %0 : tensor<1x64xf32> -> tensor<4x64xf32>
  %2 = tgraph.reduce add %1 dims [0, 1] {tgraph.fastmath = #arith.fastmath<reassoc>} : tensor<4x64xf32> -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @exact_sum_of_rows
// CHECK: tkernel.reduce addf %{{.*}} over (%i, %j) : f32
// CHECK-NOT: mulf
func.func @exact_sum_of_rows(%x: tensor<64xf32>) -> tensor<f32> {
  %0 = tgraph.reshape %x : tensor<64xf32> -> tensor<1x64xf32>
  %1 = tgraph.expand %0 : tensor<1x64xf32> -> tensor<4x64xf32>
  %2 = tgraph.reduce add %1 dims [0, 1] : tensor<4x64xf32> -> tensor<f32>
  return %2 : tensor<f32>
}
