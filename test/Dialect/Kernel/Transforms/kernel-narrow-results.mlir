// RUN: tensor-opt %s --kernel-narrow-results --split-input-file | FileCheck %s

// Of a product whose last row is read, and of what that reads, one row is computed.
// CHECK-LABEL: func.func @last
// CHECK: %[[A:.*]] = tkernel.kernel (%[[K:.*]] : 8) reads(%[[X:.*]] = %arg0 : tensor<64x8xf32>) -> tensor<1x8xf32> {
// CHECK-NEXT: %[[V:.*]] = tkernel.load %[[X]][63, %[[K]]]
// CHECK-NEXT: math.exp %[[V]]
// CHECK-NEXT: tkernel.store %{{.*}}, 0[0, %[[K]]]
// CHECK: %[[B:.*]] = tkernel.kernel (%[[N:.*]] : 16, %[[K:.*]] : 8) reads(%[[X:.*]] = %[[A]] : tensor<1x8xf32>, %{{.*}} = %arg1 : tensor<8x16xf32>) -> tensor<1x16xf32> {
// CHECK-NEXT: tkernel.load %[[X]][0, %[[K]]]
// CHECK: tkernel.kernel (%[[N:.*]] : 16) reads(%[[X:.*]] = %[[B]] : tensor<1x16xf32>) -> tensor<16xf32> {
// CHECK-NEXT: tkernel.load %[[X]][0, %[[N]]]
func.func @last(%x: tensor<64x8xf32>, %w: tensor<8x16xf32>) -> tensor<16xf32> {
  %e = tkernel.kernel (%i : 64, %k : 8) reads(%a = %x : tensor<64x8xf32>) -> tensor<64x8xf32> {
    %0 = tkernel.load %a[%i, %k] : tensor<64x8xf32>
    %1 = math.exp %0 : f32
    tkernel.store %1, 0[%i, %k] : f32
  }
  %y = tkernel.kernel (%i : 64, %n : 16, %k : 8) reads(%a = %e : tensor<64x8xf32>, %b = %w : tensor<8x16xf32>) -> tensor<64x16xf32> {
    %0 = tkernel.load %a[%i, %k] : tensor<64x8xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<8x16xf32>
    %2 = tkernel.contract %0, %1 over(%k) : f32
    tkernel.store %2, 0[%i, %n] : f32
  }
  %z = tkernel.kernel (%n : 16) reads(%a = %y : tensor<64x16xf32>) -> tensor<16xf32> {
    %0 = tkernel.load %a[63, %n] : tensor<64x16xf32>
    tkernel.store %0, 0[%n] : f32
  }
  return %z : tensor<16xf32>
}

// -----

// The last row of as many as a call settles. Its number is computed with.
// CHECK-LABEL: func.func @size
// CHECK: tkernel.kernel (%[[B:.*]] : B <= 8, %[[N:.*]] : 16) reads(%[[X:.*]] = %arg0 : {{.*}}) -> tensor<8x1x16xf32, #tview.sizes<[B, 1, 16]>> {
// CHECK: %[[S:.*]] = tkernel.size <[S - 1]> {tkernel.below = #tview.sizes<[S]>}
// CHECK-NEXT: arith.index_cast %[[S]] : index to i32
// CHECK: tkernel.load %[[X]][%[[B]], %[[S]], %[[N]]]
// CHECK: tkernel.store %{{.*}}, 0[%[[B]], 0, %[[N]]]
// CHECK: tkernel.kernel (%{{.*}} : B <= 8, %{{.*}} : 16)
// CHECK-NEXT: tkernel.load %{{.*}}[%{{.*}}, 0, %{{.*}}] : tensor<8x1x16xf32, #tview.sizes<[B, 1, 16]>>
func.func @size(%x: tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>) -> tensor<8x16xf32, #tview.sizes<[B, 16]>> attributes {tgraph.symbols = {B = #tgraph.symbol<min = 1, max = 8, step = 1>, S = #tgraph.symbol<min = 1, max = 40, step = 1>}} {
  %y = tkernel.kernel (%b : B <= 8, %s : S <= 40, %n : 16) reads(%a = %x : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>) -> tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>> {
    %0 = arith.index_cast %s : index to i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = tkernel.load %a[%b, %s, %n] : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>
    %3 = arith.mulf %1, %2 : f32
    tkernel.store %3, 0[%b, %s, %n] : f32
  }
  %z = tkernel.kernel (%b : B <= 8, %n : 16) reads(%a = %y : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>) -> tensor<8x16xf32, #tview.sizes<[B, 16]>> {
    %0 = tkernel.size <[S - 1]> {tkernel.below = #tview.sizes<[S]>}
    %1 = tkernel.load %a[%b, %0, %n] : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>
    tkernel.store %1, 0[%b, %n] : f32
  }
  return %z : tensor<8x16xf32, #tview.sizes<[B, 16]>>
}

// -----

// Every fourth row, which two kernels read.
// CHECK-LABEL: func.func @every
// CHECK: %[[A:.*]] = tkernel.kernel (%[[I:.*]] : 2, %[[K:.*]] : 16) reads(%[[X:.*]] = %arg0 : tensor<8x16xf32>) -> tensor<2x16xf32> {
// CHECK-NEXT: tkernel.load %[[X]][%[[I]] * 4 + 3, %[[K]]]
// CHECK: tkernel.store %{{.*}}, 0[%[[I]], %[[K]]]
// CHECK: tkernel.kernel (%[[I:.*]] : 2, %[[K:.*]] : 16) reads(%[[X:.*]] = %[[A]] : tensor<2x16xf32>)
// CHECK-NEXT: tkernel.load %[[X]][%[[I]], %[[K]]]
// CHECK: tkernel.load %{{.*}}[%{{.*}}, %{{.*}}] : tensor<2x16xf32>
func.func @every(%x: tensor<8x16xf32>) -> (tensor<2x16xf32>, tensor<2xf32>) {
  %y = tkernel.kernel (%i : 8, %k : 16) reads(%a = %x : tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = tkernel.load %a[%i, %k] : tensor<8x16xf32>
    %1 = math.exp %0 : f32
    tkernel.store %1, 0[%i, %k] : f32
  }
  %u = tkernel.kernel (%i : 2, %k : 16) reads(%a = %y : tensor<8x16xf32>) -> tensor<2x16xf32> {
    %0 = tkernel.load %a[%i * 4 + 3, %k] : tensor<8x16xf32>
    tkernel.store %0, 0[%i, %k] : f32
  }
  %v = tkernel.kernel (%i : 2, %k : 16) reads(%a = %y : tensor<8x16xf32>) -> tensor<2xf32> {
    %0 = tkernel.load %a[%i * 4 + 3, %k] : tensor<8x16xf32>
    %1 = tkernel.reduce addf %0 over (%k) : f32
    tkernel.store %1, 0[%i] : f32
  }
  return %u, %v : tensor<2x16xf32>, tensor<2xf32>
}

// -----

// Rows of several sequences that are one dimension, of which each one's last is read.
// CHECK-LABEL: func.func @merged
// CHECK: tkernel.kernel (%[[I:.*]] : 4, %[[N:.*]] : 16, %[[K:.*]] : 8) reads(%[[X:.*]] = %arg0 : tensor<132x8xf32>, %{{.*}} = %arg1 : tensor<8x16xf32>) -> tensor<4x16xf32> {
// CHECK-NEXT: tkernel.load %[[X]][%[[I]] * 33 + 32, %[[K]]]
// CHECK: tkernel.store %{{.*}}, 0[%[[I]], %[[N]]]
// CHECK: tkernel.kernel (%[[I:.*]] : 4, %[[N:.*]] : 16) reads(%[[X:.*]] = %{{.*}} : tensor<4x16xf32>)
// CHECK-NEXT: tkernel.load %[[X]][%[[I]], %[[N]]]
func.func @merged(%x: tensor<132x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %y = tkernel.kernel (%i : 4, %j : 33, %n : 16, %k : 8) reads(%a = %x : tensor<132x8xf32>, %b = %w : tensor<8x16xf32>) -> tensor<132x16xf32> {
    %0 = tkernel.load %a[%i * 33 + %j, %k] : tensor<132x8xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<8x16xf32>
    %2 = tkernel.contract %0, %1 over(%k) : f32
    tkernel.store %2, 0[%j + %i * 33, %n] : f32
  }
  %z = tkernel.kernel (%i : 4, %n : 16) reads(%a = %y : tensor<132x16xf32>) -> tensor<4x16xf32> {
    %0 = tkernel.load %a[%i * 33 + 32, %n] : tensor<132x16xf32>
    %1 = math.tanh %0 : f32
    tkernel.store %1, 0[%i, %n] : f32
  }
  return %z : tensor<4x16xf32>
}

// -----

// What is summed along the dimension, too, what others read elsewhere or outside, every other element
// of a row, and what a schedule speaks of stay.
// CHECK-LABEL: func.func @stay
// CHECK: reads(%{{.*}} = %arg0 : tensor<8x16xf32>) -> tensor<8x16xf32>
// CHECK: reads(%{{.*}} = %arg0 : tensor<8x16xf32>) -> tensor<8x16xf32>
// CHECK: reads(%{{.*}} = %arg0 : tensor<8x16xf32>) -> tensor<8x16xf32>
// CHECK: reads(%{{.*}} = %arg0 : tensor<8x16xf32>) -> tensor<8x16xf32>
// CHECK: reads(%{{.*}} = %arg0 : tensor<8x16xf32>) -> tensor<8x16xf32>
func.func @stay(%x: tensor<8x16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8xf32>, tensor<16xf32>) {
  %p = tkernel.kernel (%i : 8, %k : 16) reads(%a = %x : tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = tkernel.load %a[%i, %k] : tensor<8x16xf32>
    %1 = tkernel.reduce maximumf %0 over (%i) : f32
    %2 = arith.subf %0, %1 : f32
    tkernel.store %2, 0[%i, %k] : f32
  }
  %q = tkernel.kernel (%i : 8, %k : 16) reads(%a = %x : tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = tkernel.load %a[%i, %k] : tensor<8x16xf32>
    %1 = math.exp %0 : f32
    tkernel.store %1, 0[%i, %k] : f32
  }
  %r = tkernel.kernel (%i : 8, %k : 16) reads(%a = %x : tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = tkernel.load %a[%i, %k] : tensor<8x16xf32>
    %1 = math.sqrt %0 : f32
    tkernel.store %1, 0[%i, %k] : f32
  }
  %s = tkernel.kernel (%i : 8, %k : 16) reads(%a = %x : tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = tkernel.load %a[%i, %k] : tensor<8x16xf32>
    %1 = math.tanh %0 : f32
    tkernel.store %1, 0[%i, %k] : f32
  }
  %t = tkernel.kernel (%i : 8, %k : 16) reads(%a = %x : tensor<8x16xf32>) -> tensor<8x16xf32> attributes {schedule = #tkernel.schedule<[order [i], tile [k]]>} {
    %0 = tkernel.load %a[%i, %k] : tensor<8x16xf32>
    %1 = math.cos %0 : f32
    tkernel.store %1, 0[%i, %k] : f32
  }
  %u:3 = tkernel.kernel (%k : 16) reads(%a = %p : tensor<8x16xf32>, %b = %q : tensor<8x16xf32>, %c = %r : tensor<8x16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
    %0 = tkernel.load %a[7, %k] : tensor<8x16xf32>
    %1 = tkernel.load %b[7, %k] : tensor<8x16xf32>
    %2 = tkernel.load %b[6, %k] : tensor<8x16xf32>
    %3 = arith.addf %1, %2 : f32
    %4 = tkernel.load %c[8, %k] else 1.0 : tensor<8x16xf32>
    tkernel.store %0, 0[%k] : f32
    tkernel.store %3, 1[%k] : f32
    tkernel.store %4, 2[%k] : f32
  }
  %v = tkernel.kernel (%k : 8) reads(%a = %s : tensor<8x16xf32>) -> tensor<8xf32> {
    %0 = tkernel.load %a[%k, %k * 2] : tensor<8x16xf32>
    tkernel.store %0, 0[%k] : f32
  }
  %w = tkernel.kernel (%k : 16) reads(%a = %t : tensor<8x16xf32>) -> tensor<16xf32> {
    %0 = tkernel.load %a[0, %k] : tensor<8x16xf32>
    tkernel.store %0, 0[%k] : f32
  }
  return %u#0, %u#1, %u#2, %v, %w : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8xf32>, tensor<16xf32>
}
