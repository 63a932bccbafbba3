// RUN: tensor-opt %s --pass-pipeline='builtin.module(func.func(kernel-order-dimensions{elements=bf16,f16,i8}))' | FileCheck %s
// RUN: tensor-opt %s --pass-pipeline='builtin.module(func.func(kernel-order-dimensions{elements=bf16,f16,i8 constants=f32}))' | FileCheck %s --check-prefix=THREADS

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

// A factor that many values go into twice is looked through once.
// CHECK-LABEL: func.func @squares
// CHECK: tkernel.store %{{.*}}, 0[%n, %p, %c]
func.func @squares(%x: tensor<4x8x6xbf16>, %w: tensor<16x8xbf16>) -> tensor<4x16x6xf32> {
  %y = tkernel.kernel (%n : 4, %c : 8, %p : 6) reads(%a = %x : tensor<4x8x6xbf16>) -> tensor<4x8x6xbf16> {
    %0 = tkernel.load %a[%n, %c, %p] : tensor<4x8x6xbf16>
    %1 = arith.negf %0 : bf16
    tkernel.store %1, 0[%n, %c, %p] : bf16
  }
  %z = tkernel.kernel (%n : 4, %o : 16, %p : 6, %c : 8) reads(%a = %y : tensor<4x8x6xbf16>, %b = %w : tensor<16x8xbf16>) -> tensor<4x16x6xf32> {
    %s0 = tkernel.load %a[%n, %c, %p] : tensor<4x8x6xbf16>
    %s1 = arith.mulf %s0, %s0 : bf16
    %s2 = arith.mulf %s1, %s1 : bf16
    %s3 = arith.mulf %s2, %s2 : bf16
    %s4 = arith.mulf %s3, %s3 : bf16
    %s5 = arith.mulf %s4, %s4 : bf16
    %s6 = arith.mulf %s5, %s5 : bf16
    %s7 = arith.mulf %s6, %s6 : bf16
    %s8 = arith.mulf %s7, %s7 : bf16
    %s9 = arith.mulf %s8, %s8 : bf16
    %s10 = arith.mulf %s9, %s9 : bf16
    %s11 = arith.mulf %s10, %s10 : bf16
    %s12 = arith.mulf %s11, %s11 : bf16
    %s13 = arith.mulf %s12, %s12 : bf16
    %s14 = arith.mulf %s13, %s13 : bf16
    %s15 = arith.mulf %s14, %s14 : bf16
    %s16 = arith.mulf %s15, %s15 : bf16
    %s17 = arith.mulf %s16, %s16 : bf16
    %s18 = arith.mulf %s17, %s17 : bf16
    %s19 = arith.mulf %s18, %s18 : bf16
    %s20 = arith.mulf %s19, %s19 : bf16
    %s21 = arith.mulf %s20, %s20 : bf16
    %s22 = arith.mulf %s21, %s21 : bf16
    %s23 = arith.mulf %s22, %s22 : bf16
    %s24 = arith.mulf %s23, %s23 : bf16
    %s25 = arith.mulf %s24, %s24 : bf16
    %s26 = arith.mulf %s25, %s25 : bf16
    %s27 = arith.mulf %s26, %s26 : bf16
    %s28 = arith.mulf %s27, %s27 : bf16
    %s29 = arith.mulf %s28, %s28 : bf16
    %s30 = arith.mulf %s29, %s29 : bf16
    %s31 = arith.mulf %s30, %s30 : bf16
    %s32 = arith.mulf %s31, %s31 : bf16
    %s33 = arith.mulf %s32, %s32 : bf16
    %s34 = arith.mulf %s33, %s33 : bf16
    %s35 = arith.mulf %s34, %s34 : bf16
    %s36 = arith.mulf %s35, %s35 : bf16
    %s37 = arith.mulf %s36, %s36 : bf16
    %s38 = arith.mulf %s37, %s37 : bf16
    %s39 = arith.mulf %s38, %s38 : bf16
    %s40 = arith.mulf %s39, %s39 : bf16
    %s41 = arith.mulf %s40, %s40 : bf16
    %s42 = arith.mulf %s41, %s41 : bf16
    %s43 = arith.mulf %s42, %s42 : bf16
    %s44 = arith.mulf %s43, %s43 : bf16
    %s45 = arith.mulf %s44, %s44 : bf16
    %s46 = arith.mulf %s45, %s45 : bf16
    %s47 = arith.mulf %s46, %s46 : bf16
    %s48 = arith.mulf %s47, %s47 : bf16
    %1 = tkernel.load %b[%o, %c] : tensor<16x8xbf16>
    %2 = tkernel.contract %s48, %1 over (%c) : bf16, bf16 -> f32
    tkernel.store %2, 0[%n, %o, %p] : f32
  }
  return %z : tensor<4x16x6xf32>
}

// Of bytes what is summed is last in what kernels make, and in a constant.
// CHECK-LABEL: func.func @bytes
// CHECK: tkernel.kernel @order (%i : 8, %j : 16) {{.*}} -> tensor<16x8xi8>
// CHECK: tkernel.store %{{.*}}, 0[%c, %b] : i8
// CHECK: tkernel.load %{{.*}}[%m, %k] : tensor<4x8xui8>
// CHECK: tkernel.load %{{.*}}[%n, %k] : tensor<16x8xi8>
func.func @bytes(%x: tensor<8x4xui8>) -> tensor<4x16xi32> {
  %w = tgraph.constant dense<2> : tensor<8x16xi8>
  %v = tkernel.kernel (%b : 8, %c : 4) reads(%a = %x : tensor<8x4xui8>) -> tensor<8x4xui8> {
    %0 = tkernel.load %a[%b, %c] : tensor<8x4xui8>
    %1 = arith.addi %0, %0 : i8
    tkernel.store %1, 0[%b, %c] : i8
  }
  %z = tkernel.kernel (%m : 4, %n : 16, %k : 8) reads(%a = %v : tensor<8x4xui8>, %b = %w : tensor<8x16xi8>) -> tensor<4x16xi32> {
    %0 = tkernel.load %a[%k, %m] : tensor<8x4xui8>
    %1 = tkernel.load %b[%k, %n] : tensor<8x16xi8>
    %2 = tkernel.contract %0, %1 over (%k) lhs_unsigned : i8, i8 -> i32
    tkernel.store %2, 0[%m, %n] : i32
  }
  return %z : tensor<4x16xi32>
}

// Of what threads multiply a constant alone, where taps lie innermost: what kernels make stays.
// THREADS-LABEL: func.func @threads
// THREADS: %[[W:.*]] = tgraph.constant
// THREADS: tkernel.kernel @order (%i : 16, %j : 8, %k : 3) reads(%{{.*}} = %[[W]] : {{.*}}) -> tensor<16x3x8xf32>
// THREADS: tkernel.store %{{.*}}, 0[%n, %p, %c] : f32
// THREADS: tkernel.load %{{.*}}[%n, %p + %r - 1, %c]
// THREADS: tkernel.load %{{.*}}[%o, %r, %c] : tensor<16x3x8xf32>
func.func @threads(%x: tensor<2x6x8xf32>) -> tensor<2x6x16xf32> {
  %w = tgraph.constant dense<0.5> : tensor<16x8x3xf32>
  %y = tkernel.kernel (%n : 2, %p : 6, %c : 8) reads(%a = %x : tensor<2x6x8xf32>) -> tensor<2x6x8xf32> {
    %0 = tkernel.load %a[%n, %p, %c] : tensor<2x6x8xf32>
    %1 = arith.negf %0 : f32
    tkernel.store %1, 0[%n, %p, %c] : f32
  }
  %z = tkernel.kernel (%n : 2, %p : 6, %o : 16, %c : 8, %r : 3) reads(%a = %y : tensor<2x6x8xf32>, %b = %w : tensor<16x8x3xf32>) -> tensor<2x6x16xf32> {
    %0 = tkernel.load %a[%n, %p + %r - 1, %c] else 0.0 : tensor<2x6x8xf32>
    %1 = tkernel.load %b[%o, %c, %r] : tensor<16x8x3xf32>
    %2 = tkernel.contract %0, %1 over (%r, %c) : f32
    tkernel.store %2, 0[%n, %p, %o] : f32
  }
  return %z : tensor<2x6x16xf32>
}

// Lanes copy along what is kept as well, and what kernels make keeps its order.
// THREADS-LABEL: func.func @kept_innermost
// THREADS-NOT: @order
// THREADS: tkernel.store %{{.*}}, 0[%n, %c, %p] : f32
func.func @kept_innermost(%x: tensor<2x8x6xf32>) -> (tensor<2x6x16xf32>, tensor<2x16x6xf32>) {
  %w = tgraph.constant dense<0.5> : tensor<8x3x16xf32>
  %u = tgraph.constant dense<0.5> : tensor<16x8x3xf32>
  %y = tkernel.kernel (%n : 2, %c : 8, %p : 6) reads(%a = %x : tensor<2x8x6xf32>) -> tensor<2x8x6xf32> {
    %0 = tkernel.load %a[%n, %c, %p] : tensor<2x8x6xf32>
    %1 = arith.negf %0 : f32
    tkernel.store %1, 0[%n, %c, %p] : f32
  }
  %z = tkernel.kernel (%n : 2, %p : 6, %o : 16, %c : 8, %r : 3) reads(%a = %x : tensor<2x8x6xf32>, %b = %w : tensor<8x3x16xf32>) -> tensor<2x6x16xf32> {
    %0 = tkernel.load %a[%n, %r, %c] else 0.0 : tensor<2x8x6xf32>
    %1 = tkernel.load %b[%c, %r, %o] : tensor<8x3x16xf32>
    %2 = tkernel.contract %0, %1 over (%r, %c) : f32
    tkernel.store %2, 0[%n, %p, %o] : f32
  }
  %v = tkernel.kernel (%n : 2, %o : 16, %p : 6, %c : 8, %r : 3) reads(%a = %y : tensor<2x8x6xf32>, %b = %u : tensor<16x8x3xf32>) -> tensor<2x16x6xf32> {
    %0 = tkernel.load %a[%n, %c, %p + %r - 1] else 0.0 : tensor<2x8x6xf32>
    %1 = tkernel.load %b[%o, %c, %r] : tensor<16x8x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    tkernel.store %2, 0[%n, %o, %p] : f32
  }
  return %z, %v : tensor<2x6x16xf32>, tensor<2x16x6xf32>
}
