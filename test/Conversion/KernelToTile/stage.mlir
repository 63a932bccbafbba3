// RUN: tensor-opt %s --kernel-to-launch --kernel-to-tile --canonicalize --cse --split-input-file | FileCheck %s
// RUN: tensor-opt %s --split-input-file --interpret="integers=true digits=5" -o /dev/null > %t.kernel
// RUN: tensor-opt %s --split-input-file --kernel-to-launch --kernel-to-tile --canonicalize --cse --tile-prove-bounds --interpret="integers=true digits=5" -o /dev/null | diff %t.kernel -

// Both operands of a contraction are staged per block of the reduced axis. The rows of the left one are
// written across, from memory that runs along k. k is padded: beyond it the buffers hold zeros, and the
// products have no mask.
// CHECK-LABEL: ttile.func @gemm
// CHECK-SAME: grid(%m_o = 2, %n_o = 2) warps(2)
// CHECK:   %[[LHS:.*]] = ttile.alloc : memref<16x32xf32, strided<[36, 1]>, #gpu.address_space<workgroup>>
// CHECK:   %[[RHS:.*]] = ttile.alloc : memref<16x32xf32, #gpu.address_space<workgroup>>
// CHECK:   scf.for %[[KO:.*]] = %c0 to %c3
// CHECK:     %[[A:.*]] = ttile.load %{{.*}} through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 32 + d1, d3 * 16 + d0)>>(%m_o, %[[KO]]) : memref<50x40xf32> -> tensor<16x32xf32>
// CHECK:     ttile.store %[[A]], %[[LHS]]
// CHECK:     %[[B:.*]] = ttile.load %{{.*}} : memref<40x60xf32> -> tensor<16x32xf32>
// CHECK:     ttile.store %[[B]], %[[RHS]]
// CHECK:     scf.for %[[KI:.*]] = %c0 to %c16
// CHECK:       %[[L:.*]] = ttile.load %[[LHS]] through #tview.map<affine_map<(d0, d1, d2) -> (d2, d0)>>(%[[KI]])
// CHECK:       %[[R:.*]] = ttile.load %[[RHS]] through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>(%[[KI]])
// CHECK-NOT:   arith.select
// CHECK:       ttile.mma %[[L]], %[[R]]
func.func @main(%x: tensor<50x40xf32>, %w: tensor<40x60xf32>) -> tensor<50x60xf32> {
  %y = tkernel.kernel @gemm (%m : 50, %n : 60, %k : 40) reads(%a = %x : tensor<50x40xf32>, %b = %w : tensor<40x60xf32>) -> tensor<50x60xf32>
      attributes {schedule = #tkernel.schedule<[split m = [m_o, m_i 32], split n = [n_o, n_i 32], split k = [k_o, k_i 16], grid [m_o, n_o], order [k_o, k_i], tile [m_i, n_i], warps 2, stage lhs at k_o local, stage rhs at k_o local, edge k pad]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<50x40xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<40x60xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<50x60xf32>
}

// -----

// A computed value, before all loops, for two stages that use it.
// CHECK-LABEL: ttile.func @norm
// CHECK:   %[[S:.*]] = ttile.alloc : memref<4x32xf32, #gpu.address_space<workgroup>>
// CHECK:   math.exp
// CHECK:   ttile.store %{{.*}}, %[[S]]
// CHECK-NOT: math.exp
// CHECK:   scf.for
// CHECK:     ttile.load %[[S]]
// CHECK:   scf.for
// CHECK:     ttile.load %[[S]]
func.func @main(%x: tensor<4x100xf32>) -> tensor<4x100xf32> {
  %y = tkernel.kernel @norm (%i : 4, %j : 100) reads(%a = %x : tensor<4x100xf32>) -> tensor<4x100xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jt 32], grid [i], order [jo], tile [jt], warps 1, stage e at grid local]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x100xf32>
    %e = math.exp %v {name = "e"} : f32
    %s = tkernel.reduce maximumf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<4x100xf32>
}

// -----

// Only what the value varies along is copied: not n. A reduction other than a contraction keeps its mask.
// CHECK-LABEL: ttile.func @maxima
// CHECK:   %[[S:.*]] = ttile.alloc : memref<8x4xf32, #gpu.address_space<workgroup>>
// CHECK:   scf.for
// CHECK:     ttile.store %{{.*}}, %[[S]]
// CHECK:     scf.for
// CHECK:       ttile.load %[[S]]
// CHECK:       arith.select
func.func @main(%x: tensor<4x20xf32>, %w: tensor<20x3xf32>) -> tensor<4x3xf32> {
  %y = tkernel.kernel @maxima (%m : 4, %n : 3, %k : 20) reads(%a = %x : tensor<4x20xf32>, %b = %w : tensor<20x3xf32>) -> tensor<4x3xf32>
      attributes {schedule = #tkernel.schedule<[split k = [ko, ki 8], grid [n], order [ko, ki], tile [m], warps 1, stage a at ko local]>} {
    %0 = tkernel.load %a[%m, %k] {name = "a"} : tensor<4x20xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<20x3xf32>
    %2 = arith.addf %0, %1 : f32
    %3 = tkernel.reduce maximumf %2 over (%k) : f32
    tkernel.store %3, 0[%m, %n] : f32
  }
  return %y : tensor<4x3xf32>
}
