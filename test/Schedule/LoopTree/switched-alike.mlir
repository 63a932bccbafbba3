// RUN: tensor-opt %s --kernel-print-loops -o /dev/null | FileCheck %s

// Rows are summed from a buffer: the body for most of them is that of whole tiles, too.
// CHECK-LABEL: loops @from_buffer
// CHECK-NOT: the part at the end
// CHECK: if at most 8 points are left {
// CHECK: start sum [4x8]
// CHECK: } else {
// CHECK: start sum [4x16]
// CHECK-NOT: start sum
// CHECK: store store#{{[0-9]+}} [4x16] inside i of
func.func @from_buffer(%a: tensor<64x32xf32, #tview.sizes<[S, 32]>>, %b: tensor<32x4xf32>) -> tensor<4x64xf32, #tview.sizes<[4, S]>>
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 64, step = 1>}} {
  %0 = tkernel.kernel @from_buffer (%i : S <= 64, %n : 4, %k : 32) reads(%x = %a : tensor<64x32xf32, #tview.sizes<[S, 32]>>, %y = %b : tensor<32x4xf32>) -> tensor<4x64xf32, #tview.sizes<[4, S]>>
      attributes {schedule = #tkernel.schedule<[split i = [i_o, i_l 16], grid [i_o], order [k], tile [n, i_l], stage rows as (k, i_l) at grid local, edge i switch]>} {
    %1 = tkernel.load %x[%i, %k] {name = "rows"} : tensor<64x32xf32, #tview.sizes<[S, 32]>>
    %2 = tkernel.load %y[%k, %n] : tensor<32x4xf32>
    %3 = tkernel.contract %1, %2 over(%k) {name = "sum"} : f32
    tkernel.store %3, 0[%n, %i] : f32
  }
  return %0 : tensor<4x64xf32, #tview.sizes<[4, S]>>
}

// They are read where they lie: whole tiles have no masks.
// CHECK-LABEL: loops @from_tensor
// CHECK: if i_o is the part at the end {
// CHECK: if at most 8 points are left {
func.func @from_tensor(%a: tensor<32x64xf32, #tview.sizes<[32, S]>>, %b: tensor<32x4xf32>) -> tensor<4x64xf32, #tview.sizes<[4, S]>>
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 64, step = 1>}} {
  %0 = tkernel.kernel @from_tensor (%i : S <= 64, %n : 4, %k : 32) reads(%x = %a : tensor<32x64xf32, #tview.sizes<[32, S]>>, %y = %b : tensor<32x4xf32>) -> tensor<4x64xf32, #tview.sizes<[4, S]>>
      attributes {schedule = #tkernel.schedule<[split i = [i_o, i_l 16], grid [i_o], order [k], tile [n, i_l], edge i switch]>} {
    %1 = tkernel.load %x[%k, %i] : tensor<32x64xf32, #tview.sizes<[32, S]>>
    %2 = tkernel.load %y[%k, %n] : tensor<32x4xf32>
    %3 = tkernel.contract %1, %2 over(%k) {name = "sum"} : f32
    tkernel.store %3, 0[%n, %i] : f32
  }
  return %0 : tensor<4x64xf32, #tview.sizes<[4, S]>>
}

// One tile at the most needs no other body either: that for four rows has no masks.
// CHECK-LABEL: loops @one_tile
// CHECK-NOT: the part at the end
// CHECK: start sum [1x16]
// CHECK: start sum [2x16]
// CHECK: start sum [3x16]
// CHECK: start sum [4x16]
// CHECK-NOT: start sum
func.func @one_tile(%a: tensor<4x32xf32, #tview.sizes<[S, 32]>>, %b: tensor<32x16xf32>) -> tensor<4x16xf32, #tview.sizes<[S, 16]>>
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 4, step = 1>}} {
  %0 = tkernel.kernel @one_tile (%i : S <= 4, %n : 16, %k : 32) reads(%x = %a : tensor<4x32xf32, #tview.sizes<[S, 32]>>, %y = %b : tensor<32x16xf32>) -> tensor<4x16xf32, #tview.sizes<[S, 16]>>
      attributes {schedule = #tkernel.schedule<[split i = [i_o, i_r 4], grid [i_o], order [k], tile [i_r, n], edge i switch]>} {
    %1 = tkernel.load %x[%i, %k] : tensor<4x32xf32, #tview.sizes<[S, 32]>>
    %2 = tkernel.load %y[%k, %n] : tensor<32x16xf32>
    %3 = tkernel.contract %1, %2 over(%k) {name = "sum"} : f32
    tkernel.store %3, 0[%i, %n] : f32
  }
  return %0 : tensor<4x16xf32, #tview.sizes<[S, 16]>>
}
