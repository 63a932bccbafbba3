// Composites become their parts.
// RUN: tensor-opt %s --graph-decompose | FileCheck %s
// RUN: tensor-opt %s --graph-decompose=keep=softmax,relu | FileCheck %s --check-prefix=KEEP
// RUN: not tensor-opt %s --graph-decompose=keep=exp 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: graph-decompose: expected names of composites in keep, found 'exp' [T0215]

// CHECK-LABEL: func.func @relu
// KEEP-LABEL: func.func @relu
// KEEP: tgraph.relu
func.func @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[ZERO:.*]] = tgraph.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK: %[[R:.*]] = tgraph.maximum %{{.*}}, %[[ZERO]]
  // CHECK: return %[[R]]
  %r = tgraph.relu %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @relu_unsigned
// CHECK: tgraph.constant dense<0> : tensor<4xui8>
func.func @relu_unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %r = tgraph.relu %x : tensor<4xui8>
  return %r : tensor<4xui8>
}

// CHECK-LABEL: func.func @sigmoid
func.func @sigmoid(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[ONE:.*]] = tgraph.constant dense<1.000000e+00>
  // CHECK: %[[NEG:.*]] = tgraph.neg %{{.*}}
  // CHECK: %[[EXP:.*]] = tgraph.exp %[[NEG]]
  // CHECK: %[[SUM:.*]] = tgraph.add %[[ONE]], %[[EXP]]
  // CHECK: tgraph.div %[[ONE]], %[[SUM]]
  %r = tgraph.sigmoid %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @gelu
func.func @gelu(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: dense<0.707106769>
  // CHECK: tgraph.erf
  // CHECK: dense<5.000000e-01>
  %0 = tgraph.gelu erf %x : tensor<4xf32>
  // CHECK: dense<4.471500e-02>
  // CHECK: dense<0.797884583>
  // CHECK: tgraph.tanh
  %1 = tgraph.gelu tanh %x : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @softmax
// CHECK-SAME: %[[X:.*]]: tensor
// KEEP-LABEL: func.func @softmax
// KEEP: tgraph.softmax
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[MAX:.*]] = tgraph.reduce max %[[X]] dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  // CHECK: %[[COLUMN:.*]] = tgraph.reshape %[[MAX]] : tensor<4xf32> -> tensor<4x1xf32>
  // CHECK: %[[WIDE:.*]] = tgraph.expand %[[COLUMN]] : tensor<4x1xf32> -> tensor<4x8xf32>
  // CHECK: %[[SHIFTED:.*]] = tgraph.sub %[[X]], %[[WIDE]]
  // CHECK: %[[EXP:.*]] = tgraph.exp %[[SHIFTED]]
  // CHECK: tgraph.reduce add %[[EXP]] dims [1]
  // CHECK: tgraph.div %[[EXP]]
  %r = tgraph.softmax %x dim 1 : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @log_softmax
func.func @log_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[SHIFTED:.*]] = tgraph.sub
  // CHECK: tgraph.exp %[[SHIFTED]]
  // CHECK: %[[SUM:.*]] = tgraph.reduce add
  // CHECK: tgraph.log %[[SUM]] : tensor<8xf32>
  // CHECK: tgraph.sub %[[SHIFTED]]
  %r = tgraph.log_softmax %x dim 0 : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @layer_norm
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[S:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
func.func @layer_norm(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[SUM:.*]] = tgraph.reduce add %[[X]] dims [1]
  // CHECK: %[[COUNT:.*]] = tgraph.constant dense<8.000000e+00> : tensor<4xf32>
  // CHECK: tgraph.div %[[SUM]], %[[COUNT]]
  // CHECK: %[[CENTRED:.*]] = tgraph.sub %[[X]]
  // CHECK: %[[SQUARE:.*]] = tgraph.mul %[[CENTRED]], %[[CENTRED]]
  // CHECK: tgraph.reduce add %[[SQUARE]] dims [1]
  // CHECK: tgraph.rsqrt %{{.*}} : tensor<4xf32>
  // CHECK: tgraph.mul %[[CENTRED]]
  // CHECK: tgraph.reshape %[[S]] : tensor<8xf32> -> tensor<1x8xf32>
  // CHECK: tgraph.mul
  // CHECK: tgraph.reshape %[[B]] : tensor<8xf32> -> tensor<1x8xf32>
  // CHECK: tgraph.add
  %r = tgraph.layer_norm %x scale %s : tensor<8xf32> bias %b : tensor<8xf32> dims [1] eps 1.0e-05
      : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @batch_norm
// CHECK-SAME: %[[X:.*]]: tensor<1x8x2x2xf32>
func.func @batch_norm(%x: tensor<1x8x2x2xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>,
                      %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<1x8x2x2xf32> {
  // CHECK: tgraph.sqrt %{{.*}} : tensor<8xf32>
  // CHECK: %[[FACTOR:.*]] = tgraph.div %{{.*}} : tensor<8xf32>
  // CHECK: %[[OFFSET:.*]] = tgraph.sub %{{.*}} : tensor<8xf32>
  // CHECK: tgraph.reshape %[[FACTOR]] : tensor<8xf32> -> tensor<1x8x1x1xf32>
  // CHECK: %[[SCALED:.*]] = tgraph.mul %[[X]]
  // CHECK: tgraph.reshape %[[OFFSET]] : tensor<8xf32> -> tensor<1x8x1x1xf32>
  // CHECK: tgraph.add %[[SCALED]]
  %r = tgraph.batch_norm %x, %s, %b, %m, %v eps 1.0e-05 : tensor<1x8x2x2xf32>, tensor<8xf32>
  return %r : tensor<1x8x2x2xf32>
}

// A symbolic dimension that is not normalised over stays.
// CHECK-LABEL: func.func @symbolic
func.func @symbolic(%x: tensor<?x8xf32, #tgraph.dims<[S, 8]>>) -> tensor<?x8xf32, #tgraph.dims<[S, 8]>>
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 4, step = 1>}} {
  // CHECK: tgraph.reduce max %{{.*}} dims [1] : tensor<?x8xf32, #tgraph.dims<[S, 8]>> -> tensor<?xf32, #tgraph.dims<[S]>>
  %0 = tgraph.softmax %x dim 1 : tensor<?x8xf32, #tgraph.dims<[S, 8]>>
  // CHECK: tgraph.constant dense<0.000000e+00> : tensor<1x1xf32>
  // CHECK: tgraph.expand %{{.*}} : tensor<1x1xf32> -> tensor<?x8xf32, #tgraph.dims<[S, 8]>>
  // CHECK: tgraph.maximum
  %1 = tgraph.relu %0 : tensor<?x8xf32, #tgraph.dims<[S, 8]>>
  return %1 : tensor<?x8xf32, #tgraph.dims<[S, 8]>>
}
