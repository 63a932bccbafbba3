// RUN: tensor-opt %s --split-input-file --kernel-stage-global --kernel-to-launch --kernel-to-tile --canonicalize --cse | FileCheck %s
// RUN: tensor-opt %s --split-input-file --kernel-stage-global | FileCheck %s --check-prefix=PANELS

// 10 rows, 11 columns and 7 steps run in whole tiles of 4, 4 and 2: panels hold zeros beyond the steps,
// and what the rows' and columns' tiles have beyond is dropped by the store.
// CHECK-LABEL: ttile.func @matmul
// CHECK:         ttile.alloc : memref<3x4x2x4xf32, #gpu.address_space<workgroup>>
// CHECK-NOT:     arith.select
// CHECK-NOT:     ttile.inside
// CHECK:         ttile.mma {{.*}} tensor<2x4x1xf32>, tensor<2x1x4xf32>, tensor<2x4x4xf32>
// CHECK-NOT:     ttile.mma
// PANELS-LABEL: tkernel.kernel @matmul_pack (%no : 3, %ko : 4, %ki : 2, %nr : 4)
// PANELS:       tkernel.kernel @matmul (%m : 10, %n : 11, %k : 8)
// PANELS-SAME:    edge m mask, edge n mask]>
func.func @main(%x: tensor<10x7xf32>, %w: tensor<7x11xf32>) -> tensor<10x11xf32> {
  %y = tkernel.kernel @matmul (%m : 10, %n : 11, %k : 7) reads(%a = %x : tensor<10x7xf32>, %b = %w : tensor<7x11xf32>) -> tensor<10x11xf32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mr 4], split n = [no, nr 4], split k = [ko, ki 2], order [no, mo, ko], tile [ki, mr, nr], stage lhs as (mo, ko, ki, mr) at grid local, stage rhs as (no, ko, ki, nr) at kernel global, edge m pad, edge n pad, edge k pad]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<10x7xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<7x11xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<10x11xf32>
}

// -----

// The rows are those of a call.
// PANELS-LABEL: tkernel.kernel @rows (%m : N <= 10, %n : 11, %k : 8)
// CHECK-LABEL: ttile.func @rows(
func.func @rows(%x: tensor<10x7xf32, #tview.sizes<[N, 7]>>, %w: tensor<7x11xf32>) -> tensor<10x11xf32, #tview.sizes<[N, 11]>> {
  %y = tkernel.kernel @rows (%m : N <= 10, %n : 11, %k : 7) reads(%a = %x : tensor<10x7xf32, #tview.sizes<[N, 7]>>, %b = %w : tensor<7x11xf32>) -> tensor<10x11xf32, #tview.sizes<[N, 11]>>
      attributes {schedule = #tkernel.schedule<[split k = [ko, ki 2], tile [ki], stage lhs at grid local, stage rhs at kernel global, edge k pad]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<10x7xf32, #tview.sizes<[N, 7]>>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<7x11xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<10x11xf32, #tview.sizes<[N, 11]>>
}

// -----

// PANELS-LABEL: tkernel.kernel @larger_pack (%no : 2, %ko : 4, %ki : 2, %nr : 4)
// PANELS:         tkernel.load {{.*}}[(d0, d1, d2, d3) : (d1 * -2 - d2 ge -6) else 0.000000e+00 : f32]>(%no, %ko, %ki, %nr)
// CHECK-LABEL: ttile.func @larger(
// CHECK:         ttile.load {{.*}} else 0.0{{.*}} : memref<4x9xf32> -> tensor<2x4xf32>
// CHECK:         scf.for
// CHECK-NOT:     else
// CHECK:         ttile.return
func.func @larger(%x: tensor<4x9xf32>, %w: tensor<9x8xf32>) -> tensor<4x8xf32> {
  %y = tkernel.kernel @larger (%m : 4, %n : 8, %k : 7) reads(%a = %x : tensor<4x9xf32>, %b = %w : tensor<9x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[split n = [no, nr 4], split k = [ko, ki 2], order [no, ko], tile [ki, m, nr], stage lhs as (ko, ki, m) at grid local, stage rhs as (no, ko, ki, nr) at kernel global, edge k pad]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<4x9xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<9x8xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

// A computed value of a maximum: minus infinity is chosen while the panel is filled.
// CHECK-LABEL: ttile.func @maxima
// CHECK:         arith.select
// CHECK:         ttile.store
// CHECK:         scf.for
// CHECK-NOT:     arith.select
// CHECK:         arith.maximumf
func.func @maximum(%x: tensor<9x16xf32>) -> tensor<16xf32> {
  %y = tkernel.kernel @maxima (%k : 9, %n : 16) reads(%a = %x : tensor<9x16xf32>) -> tensor<16xf32>
      attributes {schedule = #tkernel.schedule<[split k = [ko, ki 4], order [ko, ki], tile [n], stage e at grid local, edge k pad]>} {
    %0 = tkernel.load %a[%k, %n] : tensor<9x16xf32>
    %1 = arith.mulf %0, %0 {name = "e"} : f32
    %2 = tkernel.reduce maximumf %1 over (%k) : f32
    tkernel.store %2, 0[%n] : f32
  }
  return %y : tensor<16xf32>
}

// -----

// A split that divides leaves nothing to pad, staged or not.
// CHECK-LABEL: ttile.func @even
// CHECK-NOT:     arith.select
func.func @even(%x: tensor<8x16xf32>) -> tensor<16xf32> {
  %y = tkernel.kernel @even (%k : 8, %n : 16) reads(%a = %x : tensor<8x16xf32>) -> tensor<16xf32>
      attributes {schedule = #tkernel.schedule<[split k = [ko, ki 4], order [ko, ki], tile [n], edge k pad]>} {
    %0 = tkernel.load %a[%k, %n] : tensor<8x16xf32>
    %1 = tkernel.reduce addf %0 over (%k) : f32
    tkernel.store %1, 0[%n] : f32
  }
  return %y : tensor<16xf32>
}
