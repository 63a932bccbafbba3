// RUN: tensor-opt %s --kernel-flatten-axes | FileCheck %s

!rows = tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>
!made = tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>>

// Weights are read once for the rows of all sequences. What reads the product has its shape.
// CHECK-LABEL: func.func @product
// CHECK: %[[X:.*]] = tgraph.reshape %arg0 : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>> -> tensor<320x16xf32, #tview.sizes<[B * S, 16]>>
// CHECK: %[[P:.*]] = tkernel.kernel (%bs : B * S <= 320, %n : 32, %k : 16) reads(%[[A:.*]] = %[[X]] : {{.*}}, %[[W:.*]] = %arg1 : tensor<16x32xf32>) -> tensor<320x32xf32, #tview.sizes<[B * S, 32]>>
// CHECK:   tkernel.load %[[A]][%bs, %k]
// CHECK:   tkernel.load %[[W]][%k, %n]
// CHECK:   tkernel.store %{{.*}}, 0[%bs, %n]
// CHECK: %[[E:.*]] = tkernel.kernel (%ij : B * S <= 320, %k : 32) reads(%{{.*}} = %[[P]] :
// CHECK: %[[Y:.*]] = tgraph.reshape %[[E]] : {{.*}} -> tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>>
// CHECK: return %[[Y]]
func.func @product(%x: !rows, %w: tensor<16x32xf32>) -> !made {
  %y = tkernel.kernel (%b : B <= 8, %s : S <= 40, %n : 32, %k : 16) reads(%a = %x : !rows, %c = %w : tensor<16x32xf32>) -> !made {
    %0 = tkernel.load %a[%b, %s, %k] : !rows
    %1 = tkernel.load %c[%k, %n] : tensor<16x32xf32>
    %2 = tkernel.contract %0, %1 over(%k) : f32
    tkernel.store %2, 0[%b, %s, %n] : f32
  }
  %z = tkernel.kernel (%i : B <= 8, %j : S <= 40, %k : 32) reads(%a = %y : !made) -> !made {
    %0 = tkernel.load %a[%i, %j, %k] : !made
    %1 = math.exp %0 : f32
    tkernel.store %1, 0[%i, %j, %k] : f32
  }
  return %z : !made
}

// Three axes become one, and sums over all of them a sum over it.
// CHECK-LABEL: func.func @sums
// CHECK: tkernel.kernel (%k : 16, %hbs : 3 * B * S <= 960)
// CHECK:   tkernel.load %{{.*}}[%hbs, %k]
// CHECK:   tkernel.reduce addf %{{.*}} over (%hbs)
func.func @sums(%x: tensor<3x8x40x16xf32, #tview.sizes<[3, B, S, 16]>>) -> tensor<16xf32> {
  %y = tkernel.kernel (%k : 16, %h : 3, %b : B <= 8, %s : S <= 40) reads(%a = %x : tensor<3x8x40x16xf32, #tview.sizes<[3, B, S, 16]>>) -> tensor<16xf32> {
    %0 = tkernel.load %a[%h, %b, %s, %k] : tensor<3x8x40x16xf32, #tview.sizes<[3, B, S, 16]>>
    %1 = tkernel.reduce addf %0 over (%h, %b, %s) : f32
    tkernel.store %1, 0[%k] : f32
  }
  return %y : tensor<16xf32>
}

// One tensor has the tokens alone; another has them before the batch.
// CHECK-LABEL: func.func @apart
// CHECK: tkernel.kernel (%b : B <= 8, %s : S <= 40, %k : 16)
// CHECK: tkernel.kernel (%b : B <= 8, %s : S <= 40, %k : 16)
// CHECK-NOT: tgraph.reshape
func.func @apart(%x: !rows, %p: tensor<40x16xf32, #tview.sizes<[S, 16]>>) -> tensor<40x8x16xf32, #tview.sizes<[S, B, 16]>> {
  %y = tkernel.kernel (%b : B <= 8, %s : S <= 40, %k : 16) reads(%a = %x : !rows, %c = %p : tensor<40x16xf32, #tview.sizes<[S, 16]>>) -> !rows {
    %0 = tkernel.load %a[%b, %s, %k] : !rows
    %1 = tkernel.load %c[%s, %k] : tensor<40x16xf32, #tview.sizes<[S, 16]>>
    %2 = arith.addf %0, %1 : f32
    tkernel.store %2, 0[%b, %s, %k] : f32
  }
  %z = tkernel.kernel (%b : B <= 8, %s : S <= 40, %k : 16) reads(%a = %y : !rows) -> tensor<40x8x16xf32, #tview.sizes<[S, B, 16]>> {
    %0 = tkernel.load %a[%b, %s, %k] : !rows
    tkernel.store %0, 0[%s, %b, %k] : f32
  }
  return %z : tensor<40x8x16xf32, #tview.sizes<[S, B, 16]>>
}

// Sums along one of them; a tensor with room behind each sequence; a number that is made of one of them.
// CHECK-LABEL: func.func @others
// CHECK: tkernel.kernel (%b : B <= 8, %k : 16, %s : S <= 40)
// CHECK: tkernel.kernel (%b : B <= 8, %s : S <= 40)
// CHECK: tkernel.kernel (%b : B <= 8, %s : S <= 40)
// CHECK-NOT: tgraph.reshape
func.func @others(%x: !rows, %c: tensor<8x40xf32, #tview.sizes<[B, S] in [B, 64]>>) -> (tensor<8x16xf32, #tview.sizes<[B, 16]>>, tensor<8x40xf32, #tview.sizes<[B, S]>>, tensor<8x40xf32, #tview.sizes<[B, S]>>) {
  %y = tkernel.kernel (%b : B <= 8, %k : 16, %s : S <= 40) reads(%a = %x : !rows) -> tensor<8x16xf32, #tview.sizes<[B, 16]>> {
    %0 = tkernel.load %a[%b, %s, %k] : !rows
    %1 = tkernel.reduce addf %0 over (%s) : f32
    tkernel.store %1, 0[%b, %k] : f32
  }
  %z = tkernel.kernel (%b : B <= 8, %s : S <= 40) reads(%a = %c : tensor<8x40xf32, #tview.sizes<[B, S] in [B, 64]>>) -> tensor<8x40xf32, #tview.sizes<[B, S]>> {
    %0 = tkernel.load %a[%b, %s] : tensor<8x40xf32, #tview.sizes<[B, S] in [B, 64]>>
    tkernel.store %0, 0[%b, %s] : f32
  }
  %i = tkernel.kernel (%b : B <= 8, %s : S <= 40) -> tensor<8x40xf32, #tview.sizes<[B, S]>> {
    %0 = arith.index_cast %s : index to i32
    %1 = arith.sitofp %0 : i32 to f32
    tkernel.store %1, 0[%b, %s] : f32
  }
  return %y, %z, %i : tensor<8x16xf32, #tview.sizes<[B, 16]>>, tensor<8x40xf32, #tview.sizes<[B, S]>>, tensor<8x40xf32, #tview.sizes<[B, S]>>
}

// Fixed sizes, and sums of symbols, stay; so do kernels that have a schedule.
// CHECK-LABEL: func.func @stay
// CHECK: tkernel.kernel (%b : B <= 8, %s : 5)
// CHECK: tkernel.kernel (%b : B <= 8, %s : S + 1 <= 41)
// CHECK: tkernel.kernel (%b : B <= 8, %s : S <= 40)
// CHECK-NOT: tgraph.reshape
func.func @stay(%x: tensor<8x5xf32, #tview.sizes<[B, 5]>>, %y: tensor<8x41xf32, #tview.sizes<[B, S + 1]>>, %z: tensor<8x40xf32, #tview.sizes<[B, S]>>) -> (tensor<8x5xf32, #tview.sizes<[B, 5]>>, tensor<8x41xf32, #tview.sizes<[B, S + 1]>>, tensor<8x40xf32, #tview.sizes<[B, S]>>) {
  %0 = tkernel.kernel (%b : B <= 8, %s : 5) reads(%a = %x : tensor<8x5xf32, #tview.sizes<[B, 5]>>) -> tensor<8x5xf32, #tview.sizes<[B, 5]>> {
    %3 = tkernel.load %a[%b, %s] : tensor<8x5xf32, #tview.sizes<[B, 5]>>
    tkernel.store %3, 0[%b, %s] : f32
  }
  %1 = tkernel.kernel (%b : B <= 8, %s : S + 1 <= 41) reads(%a = %y : tensor<8x41xf32, #tview.sizes<[B, S + 1]>>) -> tensor<8x41xf32, #tview.sizes<[B, S + 1]>> {
    %3 = tkernel.load %a[%b, %s] : tensor<8x41xf32, #tview.sizes<[B, S + 1]>>
    tkernel.store %3, 0[%b, %s] : f32
  }
  %2 = tkernel.kernel (%b : B <= 8, %s : S <= 40) reads(%a = %z : tensor<8x40xf32, #tview.sizes<[B, S]>>) -> tensor<8x40xf32, #tview.sizes<[B, S]>> attributes {schedule = #tkernel.schedule<[order [b, s]]>} {
    %3 = tkernel.load %a[%b, %s] : tensor<8x40xf32, #tview.sizes<[B, S]>>
    tkernel.store %3, 0[%b, %s] : f32
  }
  return %0, %1, %2 : tensor<8x5xf32, #tview.sizes<[B, 5]>>, tensor<8x41xf32, #tview.sizes<[B, S + 1]>>, tensor<8x40xf32, #tview.sizes<[B, S]>>
}
