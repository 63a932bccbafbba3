// RUN: tensor-opt %s --kernel-layout --split-input-file | FileCheck %s
// RUN: tensor-opt %s --kernel-layout=machine=gpu --split-input-file | FileCheck %s --check-prefix=GPU
// RUN: tensor-opt %s --kernel-layout=seed=3 --split-input-file --kernel-verify | FileCheck %s --check-prefix=DRAWN

// The strategies of groups of threads do not order tensors.
// GPU: tkernel.kernel @exp {{.*}} -> tensor<1x64x14x14xf32>

// A depthwise convolution whose results lie with channels last reads them so, too: who makes its input stores them so,
// and who reads that beside it does. The argument and the result keep their order.
// CHECK-LABEL: func.func @channels
// DRAWN-LABEL: func.func @channels
func.func @channels(%x: tensor<1x64x14x14xf32>, %w: tensor<64x1x7x7xf32>, %z: tensor<1x14x14x64xf32>) -> tensor<1x14x14x64xf32> {
  // CHECK: %[[S:.*]] = tkernel.kernel @exp {{.*}} reads(%{{.*}} = %{{.*}} : tensor<1x64x14x14xf32>) -> tensor<1x14x14x64xf32>
  // CHECK: tkernel.load %{{.*}}[0, %c, %h, %v] : tensor<1x64x14x14xf32>
  // CHECK: tkernel.store %{{.*}}, 0[0, %h, %v, %c]
  // DRAWN: tkernel.kernel @exp
  %0 = tkernel.kernel @exp (%c : 64, %h : 14, %v : 14) reads(%a = %x : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32> {
    %1 = tkernel.load %a[0, %c, %h, %v] : tensor<1x64x14x14xf32>
    %2 = math.exp %1 : f32
    tkernel.store %2, 0[0, %c, %h, %v] : f32
  }
  // CHECK: tkernel.kernel @depthwise {{.*}} reads(%[[A:.*]] = %[[S]] : tensor<1x14x14x64xf32>
  // CHECK: tkernel.load %[[A]][0, %p + %r - 3, %q + %s - 3, %g] : tensor<1x14x14x64xf32>
  // CHECK: tkernel.store %{{.*}}, 0[0, %p, %q, %g]
  // DRAWN: tkernel.kernel @depthwise
  %3 = tkernel.kernel @depthwise (%p : 14, %q : 14, %g : 64, %r : 7, %s : 7) reads(%a = %0 : tensor<1x64x14x14xf32>, %b = %w : tensor<64x1x7x7xf32>) -> tensor<1x14x14x64xf32> {
    %4 = tkernel.load %a[0, %g, %p + %r - 3, %q + %s - 3] : tensor<1x64x14x14xf32>
    %5 = tkernel.load %b[%g, 0, %r, %s] : tensor<64x1x7x7xf32>
    %6 = tkernel.contract %4, %5 over(%r, %s) : f32
    tkernel.store %6, 0[0, %p, %q, %g] : f32
  }
  // CHECK: tkernel.kernel @add
  // CHECK: tkernel.load %{{.*}}[0, %i, %j, %k] : tensor<1x14x14x64xf32>
  // CHECK: tkernel.load %{{.*}}[0, %i, %j, %k] : tensor<1x14x14x64xf32>
  %7 = tkernel.kernel @add (%i : 14, %j : 14, %k : 64) reads(%a = %3 : tensor<1x14x14x64xf32>, %b = %0 : tensor<1x64x14x14xf32>) -> tensor<1x14x14x64xf32> {
    %8 = tkernel.load %a[0, %i, %j, %k] : tensor<1x14x14x64xf32>
    %9 = tkernel.load %b[0, %k, %i, %j] : tensor<1x64x14x14xf32>
    %10 = arith.addf %8, %9 : f32
    tkernel.store %10, 0[0, %i, %j, %k] : f32
  }
  return %7 : tensor<1x14x14x64xf32>
}

// -----

// What somebody asks for in memory keeps its order, and so does what a call hands out.
// CHECK-LABEL: func.func @kept
// DRAWN-LABEL: func.func @kept
func.func @kept(%x: tensor<1x64x14x14xf32>, %w: tensor<64x1x7x7xf32>) -> tensor<1x14x14x64xf32> {
  // CHECK: tkernel.kernel @exp {{.*}} -> tensor<1x64x14x14xf32>
  // DRAWN: tkernel.kernel @exp {{.*}} -> tensor<1x64x14x14xf32>
  %0 = tkernel.kernel @exp (%c : 64, %h : 14, %v : 14) reads(%a = %x : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32> attributes {materialize} {
    %1 = tkernel.load %a[0, %c, %h, %v] : tensor<1x64x14x14xf32>
    %2 = math.exp %1 : f32
    tkernel.store %2, 0[0, %c, %h, %v] : f32
  }
  // CHECK: tkernel.kernel @depthwise {{.*}} -> tensor<1x14x14x64xf32>
  // DRAWN: tkernel.kernel @depthwise {{.*}} -> tensor<1x14x14x64xf32>
  %3 = tkernel.kernel @depthwise (%p : 14, %q : 14, %g : 64, %r : 7, %s : 7) reads(%a = %0 : tensor<1x64x14x14xf32>, %b = %w : tensor<64x1x7x7xf32>) -> tensor<1x14x14x64xf32> {
    %4 = tkernel.load %a[0, %g, %p + %r - 3, %q + %s - 3] : tensor<1x64x14x14xf32>
    %5 = tkernel.load %b[%g, 0, %r, %s] : tensor<64x1x7x7xf32>
    %6 = tkernel.contract %4, %5 over(%r, %s) : f32
    tkernel.store %6, 0[0, %p, %q, %g] : f32
  }
  return %3 : tensor<1x14x14x64xf32>
}

// -----

// A product reads its operand as well in either order: nothing is far from its least.
// CHECK-LABEL: func.func @product
func.func @product(%x: tensor<1x64x784xf32>, %w: tensor<64x64xf32>) -> tensor<1x64x784xf32> {
  // CHECK: tkernel.kernel @exp {{.*}} -> tensor<1x64x784xf32>
  %0 = tkernel.kernel @exp (%c : 64, %h : 784) reads(%a = %x : tensor<1x64x784xf32>) -> tensor<1x64x784xf32> {
    %1 = tkernel.load %a[0, %c, %h] : tensor<1x64x784xf32>
    %2 = math.exp %1 : f32
    tkernel.store %2, 0[0, %c, %h] : f32
  }
  %3 = tkernel.kernel @contract (%o : 64, %h : 784, %c : 64) reads(%a = %0 : tensor<1x64x784xf32>, %b = %w : tensor<64x64xf32>) -> tensor<1x64x784xf32> {
    %4 = tkernel.load %a[0, %c, %h] : tensor<1x64x784xf32>
    %5 = tkernel.load %b[%o, %c] : tensor<64x64xf32>
    %6 = tkernel.contract %4, %5 over(%c) : f32
    tkernel.store %6, 0[0, %o, %h] : f32
  }
  return %3 : tensor<1x64x784xf32>
}

// -----

// So are tensors whose batch a call settles, which stays outside.
// CHECK-LABEL: func.func @batches
// GPU-LABEL: func.func @batches
// DRAWN-LABEL: func.func @batches
func.func @batches(%x: tensor<8x64x14x14xf32, #tview.sizes<[B, 64, 14, 14]>>, %w: tensor<64x1x7x7xf32>, %z: tensor<64xf32>) -> tensor<8x14x14x64xf32, #tview.sizes<[B, 14, 14, 64]>> attributes {tgraph.symbols = {B = #tgraph.symbol<min = 1, max = 8, step = 1>}} {
  // CHECK: %[[S:.*]] = tkernel.kernel @exp {{.*}} -> tensor<8x14x14x64xf32, #tview.sizes<[B, 14, 14, 64]>>
  // CHECK: tkernel.store %{{.*}}, 0[%n, %h, %v, %c]
  // GPU: tkernel.kernel @exp {{.*}} -> tensor<8x64x14x14xf32, #tview.sizes<[B, 64, 14, 14]>>
  // DRAWN: tkernel.kernel @exp
  %0 = tkernel.kernel @exp (%n : B <= 8, %c : 64, %h : 14, %v : 14) reads(%a = %x : tensor<8x64x14x14xf32, #tview.sizes<[B, 64, 14, 14]>>) -> tensor<8x64x14x14xf32, #tview.sizes<[B, 64, 14, 14]>> {
    %1 = tkernel.load %a[%n, %c, %h, %v] : tensor<8x64x14x14xf32, #tview.sizes<[B, 64, 14, 14]>>
    %2 = math.exp %1 : f32
    tkernel.store %2, 0[%n, %c, %h, %v] : f32
  }
  // CHECK: tkernel.kernel @depthwise {{.*}} reads(%[[A:.*]] = %[[S]] : tensor<8x14x14x64xf32, #tview.sizes<[B, 14, 14, 64]>>
  // CHECK: tkernel.load %[[A]][%n, %p + %r - 3, %q + %s - 3, %g]
  %3 = tkernel.kernel @depthwise (%n : B <= 8, %p : 14, %q : 14, %g : 64, %r : 7, %s : 7) reads(%a = %0 : tensor<8x64x14x14xf32, #tview.sizes<[B, 64, 14, 14]>>, %b = %w : tensor<64x1x7x7xf32>) -> tensor<8x14x14x64xf32, #tview.sizes<[B, 14, 14, 64]>> {
    %4 = tkernel.load %a[%n, %g, %p + %r - 3, %q + %s - 3] : tensor<8x64x14x14xf32, #tview.sizes<[B, 64, 14, 14]>>
    %5 = tkernel.load %b[%g, 0, %r, %s] : tensor<64x1x7x7xf32>
    %6 = tkernel.contract %4, %5 over(%r, %s) : f32
    tkernel.store %6, 0[%n, %p, %q, %g] : f32
  }
  return %3 : tensor<8x14x14x64xf32, #tview.sizes<[B, 14, 14, 64]>>
}
