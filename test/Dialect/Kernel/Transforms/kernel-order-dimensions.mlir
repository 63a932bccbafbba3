// RUN: tensor-opt %s --pass-pipeline='builtin.module(func.func(kernel-order-dimensions{elements=bf16,f16}))' | FileCheck %s

// What a window of a product runs over gets its summed dimension innermost, at whoever makes it and reads it; the weights'
// are in the same order, by a kernel that depends on them alone. The argument keeps its own.
// CHECK-LABEL: func.func @window
func.func @window(%x: tensor<2x8x6x6xbf16>) -> tensor<2x16x6x6xbf16> {
  // CHECK: %[[W:.*]] = tgraph.constant
  // CHECK: %[[O:.*]] = tkernel.kernel @order (%i : 16, %j : 8, %k : 3, %l : 3) reads(%[[A:.*]] = %[[W]] : {{.*}}) -> tensor<16x3x3x8xbf16>
  // CHECK: tkernel.load %[[A]][%i, %j, %k, %l]
  // CHECK: tkernel.store %{{.*}}, 0[%i, %k, %l, %j]
  %w = tgraph.constant dense<0.5> : tensor<16x8x3x3xbf16>
  // CHECK: %[[Y:.*]] = tkernel.kernel (%n : 2, %c : 8, %p : 6, %q : 6) {{.*}} -> tensor<2x6x6x8xbf16>
  // CHECK: tkernel.load %{{.*}}[%n, %c, %p, %q] : tensor<2x8x6x6xbf16>
  // CHECK: tkernel.store %{{.*}}, 0[%n, %p, %q, %c]
  %y = tkernel.kernel (%n : 2, %c : 8, %p : 6, %q : 6) reads(%a = %x : tensor<2x8x6x6xbf16>) -> tensor<2x8x6x6xbf16> {
    %0 = tkernel.load %a[%n, %c, %p, %q] : tensor<2x8x6x6xbf16>
    %1 = arith.negf %0 : bf16
    tkernel.store %1, 0[%n, %c, %p, %q] : bf16
  }
  // CHECK: reads(%[[B:.*]] = %[[Y]] : tensor<2x6x6x8xbf16>, %[[V:.*]] = %[[O]] : tensor<16x3x3x8xbf16>) -> tensor<2x16x6x6xbf16>
  // CHECK: tkernel.load %[[B]][%n, %p + %r - 1, %q + %s - 1, %c]
  // CHECK: tkernel.load %[[V]][%o, %r, %s, %c]
  // CHECK: tkernel.store %{{.*}}, 0[%n, %o, %p, %q]
  %z = tkernel.kernel (%n : 2, %o : 16, %p : 6, %q : 6, %c : 8, %r : 3, %s : 3) reads(%a = %y : tensor<2x8x6x6xbf16>, %b = %w : tensor<16x8x3x3xbf16>) -> tensor<2x16x6x6xbf16> {
    %0 = tkernel.load %a[%n, %c, %p + %r - 1, %q + %s - 1] : tensor<2x8x6x6xbf16>
    %1 = tkernel.load %b[%o, %c, %r, %s] : tensor<16x8x3x3xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : bf16, bf16 -> f32
    %3 = arith.truncf %2 : f32 to bf16
    tkernel.store %3, 0[%n, %o, %p, %q] : bf16
  }
  return %z : tensor<2x16x6x6xbf16>
}

// A pooling reads what it pools in the order of its result.
// CHECK-LABEL: func.func @pooled
// CHECK: tkernel.store %{{.*}}, 0[%n, %p, %c] : bf16
// CHECK: tkernel.load %{{.*}}[%n, %p * 2 + %r, %c] : tensor<4x12x8xbf16>
// CHECK: tkernel.store %{{.*}}, 0[%n, %p, %c] : bf16
// CHECK: tkernel.load %{{.*}}[%n, %p, %c] : tensor<4x6x8xbf16>
func.func @pooled(%x: tensor<4x8x12xbf16>, %w: tensor<16x8xbf16>) -> tensor<4x16x6xf32> {
  %v = tkernel.kernel (%n : 4, %c : 8, %p : 12) reads(%a = %x : tensor<4x8x12xbf16>) -> tensor<4x8x12xbf16> {
    %0 = tkernel.load %a[%n, %c, %p] : tensor<4x8x12xbf16>
    %1 = arith.negf %0 : bf16
    tkernel.store %1, 0[%n, %c, %p] : bf16
  }
  %y = tkernel.kernel (%n : 4, %c : 8, %p : 6, %r : 2) reads(%a = %v : tensor<4x8x12xbf16>) -> tensor<4x8x6xbf16> {
    %0 = tkernel.load %a[%n, %c, %p * 2 + %r] : tensor<4x8x12xbf16>
    %1 = arith.extf %0 : bf16 to f32
    %2 = tkernel.reduce maximumf %1 over (%r) : f32
    %3 = arith.truncf %2 : f32 to bf16
    tkernel.store %3, 0[%n, %c, %p] : bf16
  }
  %z = tkernel.kernel (%n : 4, %o : 16, %p : 6, %c : 8) reads(%a = %y : tensor<4x8x6xbf16>, %b = %w : tensor<16x8xbf16>) -> tensor<4x16x6xf32> {
    %0 = tkernel.load %a[%n, %c, %p] : tensor<4x8x6xbf16>
    %1 = tkernel.load %b[%o, %c] : tensor<16x8xbf16>
    %2 = tkernel.contract %0, %1 over (%c) : bf16, bf16 -> f32
    tkernel.store %2, 0[%n, %o, %p] : f32
  }
  return %z : tensor<4x16x6xf32>
}

// Kept dimensions on both sides of the summed one are no box.
// CHECK-LABEL: func.func @split
// CHECK: tkernel.store %{{.*}}, 0[%n, %p, %c]
// CHECK: tkernel.load %{{.*}}[%n, %p, %c] : tensor<4x6x8xbf16>
func.func @split(%x: tensor<4x8x6xbf16>, %w: tensor<16x8xbf16>) -> tensor<4x16x6xf32> {
  %y = tkernel.kernel (%n : 4, %c : 8, %p : 6) reads(%a = %x : tensor<4x8x6xbf16>) -> tensor<4x8x6xbf16> {
    %0 = tkernel.load %a[%n, %c, %p] : tensor<4x8x6xbf16>
    %1 = arith.negf %0 : bf16
    tkernel.store %1, 0[%n, %c, %p] : bf16
  }
  %z = tkernel.kernel (%n : 4, %o : 16, %p : 6, %c : 8) reads(%a = %y : tensor<4x8x6xbf16>, %b = %w : tensor<16x8xbf16>) -> tensor<4x16x6xf32> {
    %0 = tkernel.load %a[%n, %c, %p] : tensor<4x8x6xbf16>
    %1 = tkernel.load %b[%o, %c] : tensor<16x8xbf16>
    %2 = tkernel.contract %0, %1 over (%c) : bf16, bf16 -> f32
    tkernel.store %2, 0[%n, %o, %p] : f32
  }
  return %z : tensor<4x16x6xf32>
}

// A batch is not between them: the values of attention stay as they are. So do products of other elements, and what the
// function returns.
// CHECK-LABEL: func.func @stays
// CHECK: tkernel.store %{{.*}}, 0[%h, %j, %e]
// CHECK: tkernel.store %{{.*}}, 1[%h, %e, %j]
func.func @stays(%x: tensor<4x8x6xbf16>, %w: tensor<4x16x8xbf16>) -> (tensor<4x16x6xf32>, tensor<4x6x8xbf16>) {
  %y:2 = tkernel.kernel (%h : 4, %j : 8, %e : 6) reads(%a = %x : tensor<4x8x6xbf16>) -> (tensor<4x8x6xbf16>, tensor<4x6x8xbf16>) {
    %0 = tkernel.load %a[%h, %j, %e] : tensor<4x8x6xbf16>
    %1 = arith.negf %0 : bf16
    tkernel.store %1, 0[%h, %j, %e] : bf16
    tkernel.store %1, 1[%h, %e, %j] : bf16
  }
  %z = tkernel.kernel (%h : 4, %i : 16, %e : 6, %j : 8) reads(%a = %y#0 : tensor<4x8x6xbf16>, %b = %w : tensor<4x16x8xbf16>) -> tensor<4x16x6xf32> {
    %0 = tkernel.load %b[%h, %i, %j] : tensor<4x16x8xbf16>
    %1 = tkernel.load %a[%h, %j, %e] : tensor<4x8x6xbf16>
    %2 = tkernel.contract %0, %1 over (%j) : bf16, bf16 -> f32
    tkernel.store %2, 0[%h, %i, %e] : f32
  }
  return %z, %y#1 : tensor<4x16x6xf32>, tensor<4x6x8xbf16>
}

// CHECK-LABEL: func.func @single
// CHECK: tkernel.store %{{.*}}, 0[%n, %c, %p]
func.func @single(%x: tensor<4x8x6xf32>, %w: tensor<16x8xf32>) -> tensor<4x16x6xf32> {
  %y = tkernel.kernel (%n : 4, %c : 8, %p : 6) reads(%a = %x : tensor<4x8x6xf32>) -> tensor<4x8x6xf32> {
    %0 = tkernel.load %a[%n, %c, %p] : tensor<4x8x6xf32>
    %1 = arith.negf %0 : f32
    tkernel.store %1, 0[%n, %c, %p] : f32
  }
  %z = tkernel.kernel (%n : 4, %o : 16, %p : 6, %c : 8) reads(%a = %y : tensor<4x8x6xf32>, %b = %w : tensor<16x8xf32>) -> tensor<4x16x6xf32> {
    %0 = tkernel.load %a[%n, %c, %p] : tensor<4x8x6xf32>
    %1 = tkernel.load %b[%o, %c] : tensor<16x8xf32>
    %2 = tkernel.contract %0, %1 over (%c) : f32
    tkernel.store %2, 0[%n, %o, %p] : f32
  }
  return %z : tensor<4x16x6xf32>
}
