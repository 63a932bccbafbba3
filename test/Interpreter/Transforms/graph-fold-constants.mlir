// Small subgraphs of constants are evaluated; what is big, or only repeats, stays.
// RUN: rm -rf %t && mkdir -p %t
// RUN: printf '\000\000\200\077\000\000\200\100' > %t/w.bin
// RUN: tensor-opt %s --graph-fold-constants | FileCheck %s
// RUN: tensor-opt %s --graph-fold-constants=folder=%t | FileCheck %s --check-prefixes=CHECK,FILES
// RUN: tensor-opt %s --graph-fold-constants="folder=%t max-result=4" | FileCheck %s --check-prefix=SMALL
// RUN: tensor-opt %s --graph-fold-constants="folder=%t max-operand=4" | FileCheck %s --check-prefix=SMALL
// RUN: not tensor-opt %s --graph-fold-constants=folder=%t/none 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: error: cannot read the constant #tgraph.file<"w.bin", 0, 8> : tensor<2xf32>: {{.*}} [T0218]

// CHECK-LABEL: func.func @rsqrt
// SMALL-LABEL: func.func @rsqrt
// SMALL: tgraph.rsqrt
func.func @rsqrt(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: %[[C:.*]] = tgraph.constant dense<[1.000000e+00, 5.000000e-01]>
  // CHECK-NEXT: tgraph.mul %{{.*}}, %[[C]]
  %a = tgraph.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %r = tgraph.rsqrt %a : tensor<2xf32>
  %0 = tgraph.mul %x, %r : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// The parameters of a batch normalisation: w.bin holds 1 and 4.
// CHECK-LABEL: func.func @batch_norm
func.func @batch_norm(%x: tensor<1x2x8xf32>) -> tensor<1x2x8xf32> {
  // FILES-NEXT: %[[F:.*]] = tgraph.constant dense<{{\[}}{{\[}}[1.000000e+00], [2.000000e+00]]]> : tensor<1x2x1xf32>
  // FILES-NEXT: %[[E:.*]] = tgraph.expand %[[F]] : tensor<1x2x1xf32> -> tensor<1x2x8xf32>
  // FILES-NEXT: tgraph.mul %{{.*}}, %[[E]]
  %v = tgraph.constant #tgraph.file<"w.bin", 0, 8> : tensor<2xf32>
  %s = tgraph.sqrt %v : tensor<2xf32>
  %c = tgraph.reshape %s : tensor<2xf32> -> tensor<1x2x1xf32>
  %e = tgraph.expand %c : tensor<1x2x1xf32> -> tensor<1x2x8xf32>
  %0 = tgraph.mul %x, %e : tensor<1x2x8xf32>
  return %0 : tensor<1x2x8xf32>
}

// Neither iota nor expand alone becomes data; what is computed from them does.
// CHECK-LABEL: func.func @generators
func.func @generators() -> (tensor<3xi64>, tensor<3xi64>) {
  // CHECK-DAG: %[[I:.*]] = tgraph.iota
  // CHECK-DAG: %[[C:.*]] = tgraph.constant dense<[2, 3, 4]>
  // CHECK: return %[[I]], %[[C]]
  %i = tgraph.iota dim 0 : tensor<3xi64>
  %two = tgraph.constant dense<2> : tensor<1xi64>
  %e = tgraph.expand %two : tensor<1xi64> -> tensor<3xi64>
  %0 = tgraph.add %i, %e : tensor<3xi64>
  return %i, %0 : tensor<3xi64>, tensor<3xi64>
}

// Too big to become data; its operand is not.
// CHECK-LABEL: func.func @big
func.func @big() -> tensor<200x200xf32> {
  // CHECK-DAG: %[[I:.*]] = tgraph.iota dim 0
  // CHECK-DAG: %[[C:.*]] = tgraph.constant dense<2.71828175> : tensor<1x1xf32>
  // CHECK: %[[E:.*]] = tgraph.expand %[[C]]
  // CHECK: tgraph.mul %[[I]], %[[E]]
  %i = tgraph.iota dim 0 : tensor<200x200xf32>
  %one = tgraph.constant dense<[[1.0]]> : tensor<1x1xf32>
  %exp = tgraph.exp %one : tensor<1x1xf32>
  %e = tgraph.expand %exp : tensor<1x1xf32> -> tensor<200x200xf32>
  %0 = tgraph.mul %i, %e : tensor<200x200xf32>
  return %0 : tensor<200x200xf32>
}

// What has no elements is neither computed nor read.
// CHECK-LABEL: func.func @empty
func.func @empty(%x: tensor<0x3xf32>, %y: tensor<2x3xf32>) -> (tensor<0x3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<0x3xf32>) {
  // CHECK-DAG: %[[EMPTY:.*]] = tgraph.constant dense<> : tensor<0x3xf32>
  // CHECK-DAG: %[[SUM:.*]] = tgraph.constant dense<0.000000e+00> : tensor<3xf32>
  // CHECK-NOT: tgraph.abs
  // CHECK: %[[ALL:.*]] = tgraph.concat %{{.*}}, %{{.*}} dim 0
  // CHECK: return %{{.*}}, %[[SUM]], %[[ALL]], %arg0
  %0 = tgraph.abs %x : tensor<0x3xf32>
  %1 = tgraph.reduce add %0 dims [0] : tensor<0x3xf32> -> tensor<3xf32>
  %2 = tgraph.concat %y, %x dim 0 : tensor<2x3xf32>, tensor<0x3xf32> -> tensor<2x3xf32>
  return %0, %1, %2, %x : tensor<0x3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<0x3xf32>
}
