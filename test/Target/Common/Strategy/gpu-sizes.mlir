// RUN: tensor-opt %s --kernel-schedule=machine=gpu | FileCheck %s

// A call settles the size of an axis: it is never whole in a tile, and of merged axes the first.
// CHECK-LABEL: func.func private @settled
// CHECK: schedule = #tkernel.schedule<[merge s_c = [s, c], split s_c = [s_c_o, s_c_i 32], grid [s_c_o, b], tile [s_c_i], warps 1, edge s_c mask]>
func.func private @settled(%x: tensor<4x16x24xf32, #tview.sizes<[B, S, 24]>>) -> tensor<4x16x24xf32, #tview.sizes<[B, S, 24]>> {
  %y = tkernel.kernel (%b : B <= 4, %s : S <= 16, %c : 24) reads(%a = %x : tensor<4x16x24xf32, #tview.sizes<[B, S, 24]>>) -> tensor<4x16x24xf32, #tview.sizes<[B, S, 24]>> {
    %0 = tkernel.load %a[%b, %s, %c] : tensor<4x16x24xf32, #tview.sizes<[B, S, 24]>>
    %1 = arith.negf %0 : f32
    tkernel.store %1, 0[%b, %s, %c] : f32
  }
  return %y : tensor<4x16x24xf32, #tview.sizes<[B, S, 24]>>
}
