// RUN: tensor-opt %s --kernel-drop-padding | FileCheck %s

// Taps that are padding wherever the window stands are not summed; what the others read needs no fill.
// CHECK-LABEL: @dilated
// CHECK:         tkernel.kernel (%p : 8, %c : 4)
// CHECK-NEXT:      %[[X:.*]] = tkernel.load %{{.*}}[%c, %p] : tensor<4x8xf32>
// CHECK-NEXT:      %[[W:.*]] = tkernel.load %{{.*}}[%c, 1] {finite} : tensor<4x3xf32>
// CHECK-NEXT:      tkernel.contract %[[X]], %[[W]] over(%c) : f32
func.func @dilated(%x: tensor<4x8xf32>, %w: tensor<4x3xf32>) -> tensor<8xf32> {
  %y = tkernel.kernel (%p : 8, %c : 4, %r : 3) reads(%in = %x : tensor<4x8xf32>, %weights = %w : tensor<4x3xf32>) -> tensor<8xf32> {
    %0 = tkernel.load %in[%c, %p + %r * 8 - 8] : tensor<4x8xf32>
    %1 = tkernel.load %weights[%c, %r] {finite} : tensor<4x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    tkernel.store %2, 0[%p] : f32
  }
  return %y : tensor<8xf32>
}

// Of a window that is larger than its tensor the first and the last taps go, on either side of the product.
// CHECK-LABEL: @large
// CHECK:         tkernel.kernel (%p : 2, %q : 2, %r : 3, %s : 3)
// CHECK:           tkernel.load %{{.*}}[%r + 1, %s + 2] {finite} : tensor<5x5xf32>
// CHECK:           tkernel.load %{{.*}}[%p + %r - 1, %q + %s - 1] : tensor<2x2xf32>
func.func @large(%x: tensor<2x2xf32>, %w: tensor<5x5xf32>) -> tensor<2x2xf32> {
  %y = tkernel.kernel (%p : 2, %q : 2, %r : 5, %s : 5) reads(%in = %x : tensor<2x2xf32>, %weights = %w : tensor<5x5xf32>) -> tensor<2x2xf32> {
    %0 = tkernel.load %weights[%r, %s] {finite} : tensor<5x5xf32>
    %1 = tkernel.load %in[%p + %r - 2, %q + %s - 3] : tensor<2x2xf32>
    %2 = tkernel.contract %0, %1 over (%r, %s) : f32
    tkernel.store %2, 0[%p, %q] : f32
  }
  return %y : tensor<2x2xf32>
}

// Not where the other factor may be an infinity, where padding is no zero, where another sum has the axis,
// nor where all is padding.
// CHECK-LABEL: @kept
// CHECK:         tkernel.kernel (%p : 8, %q : 8, %r : 3, %s : 3, %t : 3, %u : 3)
func.func @kept(%x: tensor<8xf32>, %w: tensor<3xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %y:4 = tkernel.kernel (%p : 8, %q : 8, %r : 3, %s : 3, %t : 3, %u : 3) reads(%in = %x : tensor<8xf32>, %weights = %w : tensor<3xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = tkernel.load %in[%p + %r * 8 - 8] : tensor<8xf32>
    %1 = tkernel.load %weights[%r] : tensor<3xf32>
    %2 = tkernel.contract %0, %1 over (%r) : f32
    %3 = tkernel.load %in[%p + %s * 8 - 8] else 1.0 : tensor<8xf32>
    %4 = tkernel.load %weights[%s] {finite} : tensor<3xf32>
    %5 = tkernel.contract %3, %4 over (%s) : f32
    %6 = tkernel.load %in[%p + %t * 8 - 8] : tensor<8xf32>
    %7 = tkernel.load %weights[%t] {finite} : tensor<3xf32>
    %8 = tkernel.contract %6, %7 over (%t) : f32
    %9 = tkernel.reduce addf %7 over (%t) : f32
    %10 = arith.addf %8, %9 : f32
    %11 = tkernel.load %in[%q + %u * 8 + 8] : tensor<8xf32>
    %12 = tkernel.load %weights[%u] {finite} : tensor<3xf32>
    %13 = tkernel.contract %11, %12 over (%u) : f32
    tkernel.store %2, 0[%p] : f32
    tkernel.store %5, 1[%p] : f32
    tkernel.store %10, 2[%p] : f32
    tkernel.store %13, 3[%q] : f32
  }
  return %y#0, %y#1, %y#2, %y#3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Also where a call settles the size of another axis.
// CHECK-LABEL: @range
// CHECK:         tkernel.kernel (%n : N <= 6, %p : 8, %c : 4)
func.func @range(%x: tensor<6x4x8xf32, #tview.sizes<[N, 4, 8]>>, %w: tensor<4x3xf32>) -> tensor<6x8xf32, #tview.sizes<[N, 8]>> {
  %y = tkernel.kernel (%n : N <= 6, %p : 8, %c : 4, %r : 3) reads(%in = %x : tensor<6x4x8xf32, #tview.sizes<[N, 4, 8]>>, %weights = %w : tensor<4x3xf32>) -> tensor<6x8xf32, #tview.sizes<[N, 8]>> {
    %0 = tkernel.load %in[%n, %c, %p + %r * 8 - 8] : tensor<6x4x8xf32, #tview.sizes<[N, 4, 8]>>
    %1 = tkernel.load %weights[%c, %r] {finite} : tensor<4x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    tkernel.store %2, 0[%n, %p] : f32
  }
  return %y : tensor<6x8xf32, #tview.sizes<[N, 8]>>
}
