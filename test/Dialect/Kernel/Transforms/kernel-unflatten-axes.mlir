// RUN: tensor-opt %s --kernel-unflatten-axes --split-input-file | FileCheck %s

!rows = tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>
!flat = tensor<320x16xf32, #tview.sizes<[B * S, 16]>>
!made = tensor<320x32xf32, #tview.sizes<[B * S, 32]>>

// All kernels between two reshapes, and one that makes an operand, have both axes.
// CHECK-LABEL: func.func @product
// CHECK-NOT: tgraph.reshape
// CHECK: %[[B:.*]] = tkernel.kernel (%i_0 : B <= 8, %i_1 : S <= 40, %j : 32) reads(%{{.*}} = %arg2 : tensor<32xf32>) -> tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>>
// CHECK: %[[P:.*]] = tkernel.kernel (%m_0 : B <= 8, %m_1 : S <= 40, %n : 32, %k : 16) reads(%[[A:.*]] = %arg0 : {{.*}}, %[[W:.*]] = %arg1 : {{.*}})
// CHECK:   tkernel.load %[[A]][%m_0, %m_1, %k] : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>
// CHECK:   tkernel.load %[[W]][%k, %n] : tensor<16x32xf32>
// CHECK:   tkernel.store %{{.*}}, 0[%m_0, %m_1, %n] : f32
// CHECK: %[[Y:.*]] = tkernel.kernel (%i_0 : B <= 8, %i_1 : S <= 40, %j : 32) reads(%{{.*}} = %[[P]] : {{.*}}, %{{.*}} = %[[B]] :
// CHECK: return %[[Y]] : tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>>
func.func @product(%x: !rows, %w: tensor<16x32xf32>, %b: tensor<32xf32>) -> tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>> {
  %f = tgraph.reshape %x : !rows -> !flat
  %c = tkernel.kernel (%i : B * S <= 320, %j : 32) reads(%a = %b : tensor<32xf32>) -> !made {
    %0 = tkernel.load %a[%j] : tensor<32xf32>
    tkernel.store %0, 0[%i, %j] : f32
  }
  %p = tkernel.kernel (%m : B * S <= 320, %n : 32, %k : 16) reads(%a = %f : !flat, %v = %w : tensor<16x32xf32>) -> !made {
    %0 = tkernel.load %a[%m, %k] : !flat
    %1 = tkernel.load %v[%k, %n] : tensor<16x32xf32>
    %2 = tkernel.contract %0, %1 over(%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  %s = tkernel.kernel (%i : B * S <= 320, %j : 32) reads(%a = %p : !made, %d = %c : !made) -> !made {
    %0 = tkernel.load %a[%i, %j] : !made
    %1 = tkernel.load %d[%i, %j] : !made
    %2 = arith.addf %0, %1 : f32
    tkernel.store %2, 0[%i, %j] : f32
  }
  %y = tgraph.reshape %s : !made -> tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>>
  return %y : tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>>
}

// -----

// Three sizes, sums over all of them, and what lies outside.
// CHECK-LABEL: func.func @sums
// CHECK: tkernel.kernel (%k : 17, %i_0 : B <= 8, %i_1 : 3, %i_2 : S <= 40) reads(%[[A:.*]] = %arg0
// CHECK:   tkernel.load %[[A]][%i_0, %i_1, %i_2, %k - 1] else 1.000000e+00
// CHECK:   tkernel.reduce addf %{{.*}} over (%i_0, %i_1, %i_2)
func.func @sums(%x: tensor<8x3x40x16xf32, #tview.sizes<[B, 3, S, 16]>>) -> tensor<17xf32> {
  %f = tgraph.reshape %x : tensor<8x3x40x16xf32, #tview.sizes<[B, 3, S, 16]>> -> tensor<960x16xf32, #tview.sizes<[3 * B * S, 16]>>
  %y = tkernel.kernel (%k : 17, %i : 3 * B * S <= 960) reads(%a = %f : tensor<960x16xf32, #tview.sizes<[3 * B * S, 16]>>) -> tensor<17xf32> {
    %0 = tkernel.load %a[%i, %k - 1] else 1.0 : tensor<960x16xf32, #tview.sizes<[3 * B * S, 16]>>
    %1 = tkernel.reduce addf %0 over (%i) : f32
    tkernel.store %1, 0[%k] : f32
  }
  return %y : tensor<17xf32>
}

// -----

// A number that is made of the axis, rows that are read in another order, and a kernel with a schedule keep it.
// CHECK-LABEL: func.func @stay
// CHECK-COUNT-3: tkernel.kernel (%i : B * S <= 320
func.func @stay(%x: tensor<8x40xf32, #tview.sizes<[B, S]>>) -> (tensor<320xf32, #tview.sizes<[B * S]>>, tensor<320xf32, #tview.sizes<[B * S]>>, tensor<320xf32, #tview.sizes<[B * S]>>) {
  %f = tgraph.reshape %x : tensor<8x40xf32, #tview.sizes<[B, S]>> -> tensor<320xf32, #tview.sizes<[B * S]>>
  %0 = tkernel.kernel (%i : B * S <= 320) reads(%a = %f : tensor<320xf32, #tview.sizes<[B * S]>>) -> tensor<320xf32, #tview.sizes<[B * S]>> {
    %3 = tkernel.load %a[%i] : tensor<320xf32, #tview.sizes<[B * S]>>
    %4 = arith.index_cast %i : index to i32
    %5 = arith.sitofp %4 : i32 to f32
    %6 = arith.addf %3, %5 : f32
    tkernel.store %6, 0[%i] : f32
  }
  %1 = tkernel.kernel (%i : B * S <= 320) reads(%a = %f : tensor<320xf32, #tview.sizes<[B * S]>>) -> tensor<320xf32, #tview.sizes<[B * S]>> {
    %3 = tkernel.load %a[%i + 1] else 0.0 : tensor<320xf32, #tview.sizes<[B * S]>>
    tkernel.store %3, 0[%i] : f32
  }
  %2 = tkernel.kernel (%i : B * S <= 320) reads(%a = %f : tensor<320xf32, #tview.sizes<[B * S]>>) -> tensor<320xf32, #tview.sizes<[B * S]>> attributes {schedule = #tkernel.schedule<[order [i]]>} {
    %3 = tkernel.load %a[%i] : tensor<320xf32, #tview.sizes<[B * S]>>
    tkernel.store %3, 0[%i] : f32
  }
  return %0, %1, %2 : tensor<320xf32, #tview.sizes<[B * S]>>, tensor<320xf32, #tview.sizes<[B * S]>>, tensor<320xf32, #tview.sizes<[B * S]>>
}
