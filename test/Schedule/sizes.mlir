// What a schedule may do with an axis whose size a call settles.
// RUN: tensor-opt %s --pass-pipeline='builtin.module(kernel-to-tile)' --split-input-file --verify-diagnostics | FileCheck %s

// The iterations that the size fills have no masks, and one at the end has them.
// CHECK-LABEL: ttile.func @peel
// CHECK-SAME: symbols(%S = S <= 64)
// CHECK: %[[MOST:.*]] = arith.minsi
// CHECK: scf.for {{.*}} to %[[MOST]]
// CHECK-NOT: ge 0
// CHECK: scf.for
// CHECK: ttile.load {{.*}} ge 1
func.func private @peel(%x: tensor<64xf32, #tview.sizes<[S]>>) -> tensor<64xf32, #tview.sizes<[S]>> {
  %y = tkernel.kernel (%i : S <= 64) reads(%a = %x : tensor<64xf32, #tview.sizes<[S]>>) -> tensor<64xf32, #tview.sizes<[S]>>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 8], order [io], tile [ii], edge i peel]>} {
    %0 = tkernel.load %a[%i] : tensor<64xf32, #tview.sizes<[S]>>
    tkernel.store %0, 0[%i] : f32
  }
  return %y : tensor<64xf32, #tview.sizes<[S]>>
}

// -----

// In the grid the program at the end is apart.
// CHECK-LABEL: ttile.func @grid
// CHECK-SAME: grid(%io = S ceildiv 8 <= 8) symbols(%S = S <= 64)
// CHECK: %[[IS:.*]] = arith.cmpi eq, %io
// CHECK: scf.if %[[IS]]
func.func private @grid(%x: tensor<64xf32, #tview.sizes<[S]>>) -> tensor<64xf32, #tview.sizes<[S]>> {
  %y = tkernel.kernel (%i : S <= 64) reads(%a = %x : tensor<64xf32, #tview.sizes<[S]>>) -> tensor<64xf32, #tview.sizes<[S]>>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 8], grid [io], tile [ii], edge i peel]>} {
    %0 = tkernel.load %a[%i] : tensor<64xf32, #tview.sizes<[S]>>
    tkernel.store %0, 0[%i] : f32
  }
  return %y : tensor<64xf32, #tview.sizes<[S]>>
}

// -----

func.func private @tile(%x: tensor<64xf32, #tview.sizes<[S]>>) -> tensor<64xf32, #tview.sizes<[S]>> {
  // expected-error @+1 {{illegal schedule: tile 'i' has as many points as a call settles: split it and tile the inner part [T0310]}}
  %y = tkernel.kernel (%i : S <= 64) reads(%a = %x : tensor<64xf32, #tview.sizes<[S]>>) -> tensor<64xf32, #tview.sizes<[S]>>
      attributes {schedule = #tkernel.schedule<[tile [i]]>} {
    %0 = tkernel.load %a[%i] : tensor<64xf32, #tview.sizes<[S]>>
    tkernel.store %0, 0[%i] : f32
  }
  return %y : tensor<64xf32, #tview.sizes<[S]>>
}

// -----

func.func private @unroll(%x: tensor<64xf32, #tview.sizes<[S]>>) -> tensor<64xf32, #tview.sizes<[S]>> {
  // expected-error @+1 {{illegal schedule: unroll 'i' has as many points as a call settles: unroll it by a number [T0310]}}
  %y = tkernel.kernel (%i : S <= 64) reads(%a = %x : tensor<64xf32, #tview.sizes<[S]>>) -> tensor<64xf32, #tview.sizes<[S]>>
      attributes {schedule = #tkernel.schedule<[unroll i]>} {
    %0 = tkernel.load %a[%i] : tensor<64xf32, #tview.sizes<[S]>>
    tkernel.store %0, 0[%i] : f32
  }
  return %y : tensor<64xf32, #tview.sizes<[S]>>
}

// -----

func.func private @merge(%x: tensor<4x64xf32, #tview.sizes<[4, S]>>) -> tensor<4x64xf32, #tview.sizes<[4, S]>> {
  // expected-error @+1 {{a call settles the size of 'j': only the first of merged axes may be such}}
  %y = tkernel.kernel (%i : 4, %j : S <= 64) reads(%a = %x : tensor<4x64xf32, #tview.sizes<[4, S]>>) -> tensor<4x64xf32, #tview.sizes<[4, S]>>
      attributes {schedule = #tkernel.schedule<[merge p = [i, j]]>} {
    %0 = tkernel.load %a[%i, %j] : tensor<4x64xf32, #tview.sizes<[4, S]>>
    tkernel.store %0, 0[%i, %j] : f32
  }
  return %y : tensor<4x64xf32, #tview.sizes<[4, S]>>
}

// -----

// Where an axis may end in a block, the loop over the block ends there, and what is inside of single points has no mask.
// CHECK-LABEL: ttile.func @block
// CHECK: scf.for %[[O:.*]] = {{.*}} iter_args
// CHECK: %[[LEFT:.*]] = affine.apply {{.*}}(%{{.*}}, %[[O]])
// CHECK: arith.maxsi %[[LEFT]]
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: scf.for {{.*}} to %[[END]]
// CHECK-NOT: ttile.inside
// CHECK: return
func.func private @block(%x: tensor<64x8xf32, #tview.sizes<[S, 8]>>) -> tensor<8xf32> {
  %y = tkernel.kernel (%j : 8, %i : S <= 64) reads(%a = %x : tensor<64x8xf32, #tview.sizes<[S, 8]>>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 8], order [io, ii], tile [j]]>} {
    %0 = tkernel.load %a[%i, %j] : tensor<64x8xf32, #tview.sizes<[S, 8]>>
    %1 = tkernel.reduce addf %0 over (%i) : f32
    tkernel.store %1, 0[%j] : f32
  }
  return %y : tensor<8xf32>
}

// -----

// Loops over all parts of an axis end where it does: none goes beyond it, and no iteration is apart.
// CHECK-LABEL: ttile.func @ends
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK-NOT: ge 1
// CHECK: ttile.return
func.func private @ends(%x: tensor<64x16xf32, #tview.sizes<[S, 16]>>) -> tensor<16xf32> {
  %y = tkernel.kernel (%j : 16, %i : S <= 64) reads(%a = %x : tensor<64x16xf32, #tview.sizes<[S, 16]>>) -> tensor<16xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 8], order [io, ii], tile [j], edge i peel]>} {
    %0 = tkernel.load %a[%i, %j] : tensor<64x16xf32, #tview.sizes<[S, 16]>>
    %1 = tkernel.reduce addf %0 over (%i) : f32
    tkernel.store %1, 0[%j] : f32
  }
  return %y : tensor<16xf32>
}

// -----

// A row beyond the end is read where the last one is, and not stored: no load compares.
// CHECK-LABEL: ttile.func @clamped
// CHECK: %[[ROW:.*]] = ttile.index
// CHECK: %[[LAST:.*]] = affine.apply
// CHECK: %[[SPREAD:.*]] = ttile.index {{.*}}(%[[LAST]])
// CHECK: %[[AT:.*]] = arith.minsi %[[ROW]], %[[SPREAD]] : tensor<8x1xindex>
// CHECK: ttile.load %arg0 through #tview.map<affine_map<(d0, d1, {{.*}}) -> (d1 + d{{.*}} * 16)>>({{.*}}%[[AT]]
// CHECK: ttile.store {{.*}} ge 1
func.func private @clamped(%x: tensor<64x16xf32, #tview.sizes<[S, 16]>>) -> tensor<64x16xf32, #tview.sizes<[S, 16]>> {
  %y = tkernel.kernel (%i : S <= 64, %j : 16) reads(%a = %x : tensor<64x16xf32, #tview.sizes<[S, 16]>>) -> tensor<64x16xf32, #tview.sizes<[S, 16]>>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 8], grid [io], tile [ii, j]]>} {
    %0 = tkernel.load %a[%i, %j] : tensor<64x16xf32, #tview.sizes<[S, 16]>>
    tkernel.store %0, 0[%i, %j] : f32
  }
  return %y : tensor<64x16xf32, #tview.sizes<[S, 16]>>
}

// -----

// A buffer is filled by tiles that the axis fills, which ask for no end, and the one that it ends in.
// CHECK-LABEL: ttile.func @filled
// CHECK: scf.for
// CHECK-NOT: arith.minsi {{.*}} : tensor
// CHECK: ttile.store
// CHECK: scf.for
// CHECK: arith.minsi {{.*}} : tensor<8x1xindex>
func.func private @filled(%x: tensor<64x16xf32, #tview.sizes<[S, 16]>>, %w: tensor<16x32xf32>) -> tensor<32xf32> {
  %y = tkernel.kernel (%n : 32, %i : S <= 64, %k : 16) reads(%a = %x : tensor<64x16xf32, #tview.sizes<[S, 16]>>, %b = %w : tensor<16x32xf32>) -> tensor<32xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 8], order [io, ii, k], tile [n], stage sum as (io, ii, n) at grid local]>} {
    %0 = tkernel.load %a[%i, %k] : tensor<64x16xf32, #tview.sizes<[S, 16]>>
    %1 = tkernel.load %b[%k, %n] : tensor<16x32xf32>
    %2 = tkernel.contract %0, %1 over(%k) {name = "sum"} : f32
    %3 = tkernel.reduce maximumf %2 over (%i) : f32
    tkernel.store %3, 0[%n] : f32
  }
  return %y : tensor<32xf32>
}

// -----

// A window of a tensor whose outermost size alone is settled is copied from where the point's part begins: one address, and
// guards where the program alone knows what lies outside.
// CHECK-LABEL: ttile.func @window
// CHECK-SAME: grid(%n = B <= 16, %p_o = 2)
// CHECK: ttile.load %arg0 through #tview.map<{{.*}} d4 * 8 + (d1 + d3) * 16 - 1)>, [{{.*}} : ({{.*}} ge 1, {{.*}} - 1 le 7) else 0.000000e+00 : f32]
// CHECK-SAME: {in_bounds = array<i1: true>} : memref<256xf32> -> tensor<6xf32>
func.func private @window(%x: tensor<16x2x8xf32, #tview.sizes<[B, 2, 8]>>, %w: tensor<2x3xf32>) -> tensor<16x8xf32, #tview.sizes<[B, 8]>> {
  %y = tkernel.kernel (%n : B <= 16, %p : 8, %c : 2, %r : 3) reads(%a = %x : tensor<16x2x8xf32, #tview.sizes<[B, 2, 8]>>, %b = %w : tensor<2x3xf32>) -> tensor<16x8xf32, #tview.sizes<[B, 8]>>
      attributes {schedule = #tkernel.schedule<[split p = [p_o, p_i 4], grid [n, p_o], order [c, r], tile [p_i], stage x window at grid local]>} {
    %0 = tkernel.load %a[%n, %c, %p + %r - 1] else 0.0 {name = "x"} : tensor<16x2x8xf32, #tview.sizes<[B, 2, 8]>>
    %1 = tkernel.load %b[%c, %r] : tensor<2x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    tkernel.store %2, 0[%n, %p] : f32
  }
  return %y : tensor<16x8xf32, #tview.sizes<[B, 8]>>
}

// -----

func.func private @window_along(%x: tensor<2x64xf32, #tview.sizes<[2, S]>>, %w: tensor<2x3xf32>) -> tensor<64xf32, #tview.sizes<[S]>> {
  // expected-error @+1 {{illegal schedule: a window is staged of a tensor whose size a call settles along more than the outermost dimension, or of several indices of that: leave 'window' out [T0310]}}
  %y = tkernel.kernel (%p : S <= 64, %c : 2, %r : 3) reads(%a = %x : tensor<2x64xf32, #tview.sizes<[2, S]>>, %b = %w : tensor<2x3xf32>) -> tensor<64xf32, #tview.sizes<[S]>>
      attributes {schedule = #tkernel.schedule<[split p = [p_o, p_i 4], grid [p_o], order [c, r], tile [p_i], stage x window at grid local]>} {
    %0 = tkernel.load %a[%c, %p + %r - 1] else 0.0 {name = "x"} : tensor<2x64xf32, #tview.sizes<[2, S]>>
    %1 = tkernel.load %b[%c, %r] : tensor<2x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    tkernel.store %2, 0[%p] : f32
  }
  return %y : tensor<64xf32, #tview.sizes<[S]>>
}

// -----

// Points of the outermost dimension that may be beyond its end are not copied.
func.func private @window_of_several(%x: tensor<16x8xf32, #tview.sizes<[B, 8]>>) -> tensor<16x8xf32, #tview.sizes<[B, 8]>> {
  // expected-error @+1 {{illegal schedule: a window is staged of a tensor whose size a call settles along more than the outermost dimension, or of several indices of that: leave 'window' out [T0310]}}
  %y = tkernel.kernel (%n : B <= 16, %p : 8, %r : 3) reads(%a = %x : tensor<16x8xf32, #tview.sizes<[B, 8]>>) -> tensor<16x8xf32, #tview.sizes<[B, 8]>>
      attributes {schedule = #tkernel.schedule<[split n = [n_o, n_i 4], grid [n_o], order [n_i, r], tile [p], stage x window at grid local]>} {
    %0 = tkernel.load %a[%n, %p + %r - 1] else 0.0 {name = "x"} : tensor<16x8xf32, #tview.sizes<[B, 8]>>
    %2 = tkernel.reduce addf %0 over (%r) : f32
    tkernel.store %2, 0[%n, %p] : f32
  }
  return %y : tensor<16x8xf32, #tview.sizes<[B, 8]>>
}
