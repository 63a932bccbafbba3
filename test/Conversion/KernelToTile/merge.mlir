// RUN: tensor-opt %s --kernel-to-launch --kernel-to-tile --canonicalize --cse --tile-prove-bounds | FileCheck %s
// RUN: tensor-opt %s --interpret="integers=true digits=5" -o /dev/null > %t.kernel
// RUN: tensor-opt %s --kernel-to-launch --kernel-to-tile --canonicalize --cse --tile-prove-bounds --interpret="integers=true digits=5" -o /dev/null | diff %t.kernel -

// The parallel axes become one, the reduced ones another; tiles of 32 points of i and c know their row.
// CHECK-LABEL: ttile.func @pool
// CHECK-SAME: grid(%p_o = 2) warps(1)
// CHECK:   scf.for {{.*}} to %c4
// CHECK:     scf.for {{.*}} to %c6
// CHECK:   ttile.store {{.*}} through #tview.map<affine_map<(d0, d1) -> (d1 * 4 + d0 floordiv 8, d0 mod 8)>>(%p_o)
func.func @main(%x: tensor<5x4x8x3x2xf32>, %b: tensor<5xf32>) -> tensor<5x8xf32> {
  %y = tkernel.kernel @pool (%c : 5, %i : 8, %h : 4, %r : 3, %s : 2) reads(%a = %x : tensor<5x4x8x3x2xf32>, %d = %b : tensor<5xf32>) -> tensor<5x8xf32>
      attributes {schedule = #tkernel.schedule<[merge p = [c, i], merge q = [r, s], split p = [p_o, p_i 32], grid [p_o], order [h, q], tile [p_i], warps 1]>} {
    %0 = tkernel.load %a[%c, %h, %i, %r, %s] : tensor<5x4x8x3x2xf32>
    %1 = tkernel.reduce addf %0 over (%h, %r, %s) : f32
    %2 = tkernel.load %d[%c] : tensor<5xf32>
    %3 = arith.mulf %1, %2 : f32
    tkernel.store %3, 0[%c, %i] : f32
  }
  return %y : tensor<5x8xf32>
}
