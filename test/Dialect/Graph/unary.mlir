// Round trip of the elementwise ops of one operand.
// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @floats
func.func @floats(%x: tensor<4xf32>) {
  // CHECK: tgraph.neg %{{.*}} : tensor<4xf32>
  %neg = tgraph.neg %x : tensor<4xf32>
  // CHECK: tgraph.abs %{{.*}} : tensor<4xf32>
  %abs = tgraph.abs %x : tensor<4xf32>
  // CHECK: tgraph.sign %{{.*}} : tensor<4xf32>
  %sign = tgraph.sign %x : tensor<4xf32>
  // CHECK: tgraph.exp %{{.*}} : tensor<4xf32>
  %exp = tgraph.exp %x : tensor<4xf32>
  // CHECK: tgraph.log %{{.*}} : tensor<4xf32>
  %log = tgraph.log %x : tensor<4xf32>
  // CHECK: tgraph.sqrt %{{.*}} : tensor<4xf32>
  %sqrt = tgraph.sqrt %x : tensor<4xf32>
  // CHECK: tgraph.rsqrt %{{.*}} : tensor<4xf32>
  %rsqrt = tgraph.rsqrt %x : tensor<4xf32>
  // CHECK: tgraph.reciprocal %{{.*}} : tensor<4xf32>
  %reciprocal = tgraph.reciprocal %x : tensor<4xf32>
  // CHECK: tgraph.sigmoid %{{.*}} : tensor<4xf32>
  %sigmoid = tgraph.sigmoid %x : tensor<4xf32>
  // CHECK: tgraph.tanh %{{.*}} : tensor<4xf32>
  %tanh = tgraph.tanh %x : tensor<4xf32>
  // CHECK: tgraph.erf %{{.*}} : tensor<4xf32>
  %erf = tgraph.erf %x : tensor<4xf32>
  // CHECK: tgraph.floor %{{.*}} : tensor<4xf32>
  %floor = tgraph.floor %x : tensor<4xf32>
  // CHECK: tgraph.ceil %{{.*}} : tensor<4xf32>
  %ceil = tgraph.ceil %x : tensor<4xf32>
  // CHECK: tgraph.round %{{.*}} : tensor<4xf32>
  %round = tgraph.round %x : tensor<4xf32>
  // CHECK: tgraph.sin %{{.*}} : tensor<4xf32>
  %sin = tgraph.sin %x : tensor<4xf32>
  // CHECK: tgraph.cos %{{.*}} : tensor<4xf32>
  %cos = tgraph.cos %x : tensor<4xf32>
  // CHECK: tgraph.tan %{{.*}} : tensor<4xf32>
  %tan = tgraph.tan %x : tensor<4xf32>
  // CHECK: tgraph.asin %{{.*}} : tensor<4xf32>
  %asin = tgraph.asin %x : tensor<4xf32>
  // CHECK: tgraph.acos %{{.*}} : tensor<4xf32>
  %acos = tgraph.acos %x : tensor<4xf32>
  // CHECK: tgraph.atan %{{.*}} : tensor<4xf32>
  %atan = tgraph.atan %x : tensor<4xf32>
  // CHECK: tgraph.sinh %{{.*}} : tensor<4xf32>
  %sinh = tgraph.sinh %x : tensor<4xf32>
  // CHECK: tgraph.cosh %{{.*}} : tensor<4xf32>
  %cosh = tgraph.cosh %x : tensor<4xf32>
  // CHECK: tgraph.asinh %{{.*}} : tensor<4xf32>
  %asinh = tgraph.asinh %x : tensor<4xf32>
  // CHECK: tgraph.acosh %{{.*}} : tensor<4xf32>
  %acosh = tgraph.acosh %x : tensor<4xf32>
  // CHECK: tgraph.atanh %{{.*}} : tensor<4xf32>
  %atanh = tgraph.atanh %x : tensor<4xf32>
  // CHECK: tgraph.is_nan %{{.*}} : tensor<4xf32>
  %is_nan = tgraph.is_nan %x : tensor<4xf32>
  // CHECK: tgraph.is_inf %{{.*}} : tensor<4xf32>
  %is_inf = tgraph.is_inf %x : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @integers
func.func @integers(%i: tensor<2x3xi64>, %u: tensor<3xui8>, %b: tensor<i1>) {
  // CHECK: tgraph.neg %{{.*}} : tensor<2x3xi64>
  %0 = tgraph.neg %i : tensor<2x3xi64>
  // CHECK: tgraph.abs %{{.*}} : tensor<3xui8>
  %1 = tgraph.abs %u : tensor<3xui8>
  // CHECK: tgraph.sign %{{.*}} : tensor<2x3xi64>
  %2 = tgraph.sign %i : tensor<2x3xi64>
  // CHECK: tgraph.not %{{.*}} : tensor<i1>
  %3 = tgraph.not %b : tensor<i1>
  return
}

// CHECK-LABEL: func.func @other_floats
func.func @other_floats(%h: tensor<4xf16>, %b: tensor<4xbf16>, %e: tensor<4xf8E5M2>) {
  // CHECK: tgraph.exp %{{.*}} : tensor<4xf16>
  %0 = tgraph.exp %h : tensor<4xf16>
  // CHECK: tgraph.neg %{{.*}} : tensor<4xbf16>
  %1 = tgraph.neg %b : tensor<4xbf16>
  // CHECK: tgraph.is_inf %{{.*}} : tensor<4xf8E5M2>
  %2 = tgraph.is_inf %e : tensor<4xf8E5M2>
  return
}
