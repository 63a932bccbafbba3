// `edge m switch`: a copy of the body for each number of rows that may be left, the last of which has masks.
// RUN: tensor-opt %s --kernel-to-tile | FileCheck %s

// CHECK: affine_map<(d0) -> (d0 mod 6)>
// CHECK: affine_map<(d0, d1) -> (d0 floordiv 8 - d1 * 3)>
// CHECK: ttile.func @product(
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: scf.if %[[IS_LAST]] {
// CHECK: %[[REST:.*]] = affine.apply #{{.*}}(%{{.*}})
// CHECK: %[[ONE:.*]] = arith.cmpi sle, %[[REST]], %{{.*}} : index
// CHECK: scf.if %[[ONE]] {
// CHECK: ttile.mma {{.*}} tensor<1x16xf32>
// CHECK-NOT: #tview.map<{{.*}}, [(
// CHECK: ttile.store {{.*}} : tensor<1x16xf32>
// CHECK: } else {
// CHECK: ttile.mma {{.*}} tensor<2x16xf32>
// CHECK: ttile.mma {{.*}} tensor<3x16xf32>
// CHECK: ttile.mma {{.*}} tensor<4x16xf32>
// CHECK: ttile.mma {{.*}} tensor<6x16xf32>
// CHECK: } else {
// CHECK: ttile.mma {{.*}} tensor<6x16xf32>
func.func @product(%a: tensor<64x32xf32, #tview.sizes<[S, 32]>>, %b: tensor<32x16xf32>) -> tensor<64x16xf32, #tview.sizes<[S, 16]>> {
  %0 = tkernel.kernel (%m : S <= 64, %n : 16, %k : 32) reads(%x = %a : tensor<64x32xf32, #tview.sizes<[S, 32]>>, %y = %b : tensor<32x16xf32>) -> tensor<64x16xf32, #tview.sizes<[S, 16]>>
      attributes {schedule = #tkernel.schedule<[split m = [m_o, m_r 6], grid [m_o], order [k], tile [m_r, n], edge m switch]>} {
    %1 = tkernel.load %x[%m, %k] : tensor<64x32xf32, #tview.sizes<[S, 32]>>
    %2 = tkernel.load %y[%k, %n] : tensor<32x16xf32>
    %3 = tkernel.contract %1, %2 over(%k) : f32
    tkernel.store %3, 0[%m, %n] : f32
  }
  return %0 : tensor<64x16xf32, #tview.sizes<[S, 16]>>
}

// A loop over the tiles of a block ends where the axis does, and the tile that is left is switched over: blocks are all
// alike. Rows that are read from a buffer are masked where they are stored alone, so that not each number has a body.
// CHECK: ttile.func @blocks(
// CHECK-NOT: scf.if
// CHECK: ttile.mma {{.*}} tensor<8x16xf32>
// CHECK: ttile.store {{.*}} : tensor<8x16xf32>
// CHECK: arith.cmpi sle
// CHECK: ttile.mma {{.*}} tensor<1x16xf32>
// CHECK: ttile.mma {{.*}} tensor<2x16xf32>
// CHECK: ttile.mma {{.*}} tensor<3x16xf32>
// CHECK: ttile.mma {{.*}} tensor<4x16xf32>
// CHECK: ttile.mma {{.*}} tensor<6x16xf32>
// CHECK: ttile.mma {{.*}} tensor<8x16xf32>
// CHECK-NOT: ttile.mma
func.func @blocks(%a: tensor<64x32xf32, #tview.sizes<[S, 32]>>, %b: tensor<32x16xf32>) -> tensor<64x16xf32, #tview.sizes<[S, 16]>> {
  %0 = tkernel.kernel (%m : S <= 64, %n : 16, %k : 32) reads(%x = %a : tensor<64x32xf32, #tview.sizes<[S, 32]>>, %y = %b : tensor<32x16xf32>) -> tensor<64x16xf32, #tview.sizes<[S, 16]>>
      attributes {schedule = #tkernel.schedule<[split m = [m_o, m_b 3, m_r 8], grid [m_o], order [m_b, k], tile [m_r, n], stage rows as (m_b, k, m_r) at grid local, edge m switch]>} {
    %1 = tkernel.load %x[%m, %k] {name = "rows"} : tensor<64x32xf32, #tview.sizes<[S, 32]>>
    %2 = tkernel.load %y[%k, %n] : tensor<32x16xf32>
    %3 = tkernel.contract %1, %2 over(%k) : f32
    tkernel.store %3, 0[%m, %n] : f32
  }
  return %0 : tensor<64x16xf32, #tview.sizes<[S, 16]>>
}
