// RUN: tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile --canonicalize --cse --split-input-file | FileCheck %s

// Four outputs see six inputs, of which the first and the last lie outside for some programs: the window is copied
// with zeros there, and read without guards. Where a row of the window begins is known to the program only.
// CHECK-LABEL: ttile.func @conv
// CHECK:         %[[WINDOW:.*]] = ttile.alloc : memref<2x6xf32, #gpu.address_space<workgroup>>
// CHECK:         scf.for %[[C:.*]] = %c0 to %c2
// CHECK:           %[[T:.*]] = ttile.load %arg0 through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2, d1 * 4 + d0 + d3 - 1)>, else 0.000000e+00 : f32>(%p_o, %[[C]], %c0) {in_bounds = array<i1: true, false>}
// CHECK-SAME:          -> tensor<6xf32>
// CHECK:           ttile.store %[[T]], %[[WINDOW]]
// CHECK:         ttile.load %[[WINDOW]] through #tview.map<affine_map<(d0, d1, d2) -> (d1, d0 + d2)>>
// CHECK-SAME:        -> tensor<4xf32>
func.func @main(%x: tensor<2x8xf32>, %w: tensor<2x3xf32>) -> tensor<8xf32> {
  %y = tkernel.kernel @conv (%p : 8, %c : 2, %r : 3) reads(%a = %x : tensor<2x8xf32>, %b = %w : tensor<2x3xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[split p = [p_o, p_i 4], grid [p_o], order [c, r], tile [p_i], stage x window at grid local]>} {
    %0 = tkernel.load %a[%c, %p + %r - 1] else 0.0 {name = "x"} : tensor<2x8xf32>
    %1 = tkernel.load %b[%c, %r] : tensor<2x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    tkernel.store %2, 0[%p] : f32
  }
  return %y : tensor<8xf32>
}

// -----

// Which rows lie outside depends on the program, which columns does not: both are filled apart, and what is copied
// has no guards.
// CHECK-LABEL: ttile.func @plane
// CHECK-DAG:     %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<10xf32>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<1xf32>
// CHECK:         %[[WINDOW:.*]] = ttile.alloc : memref<4x10xf32, #gpu.address_space<workgroup>>
// CHECK:         %[[LOWER:.*]] = arith.maxsi
// CHECK:         %[[UPPER:.*]] = arith.minsi
// CHECK:         scf.for %{{.*}} = %c0 to %[[LOWER]] step
// CHECK-NEXT:      ttile.store %[[ZEROS]], %[[WINDOW]]
// CHECK:         scf.for %[[H:.*]] = %[[LOWER]] to %[[UPPER]] step
// CHECK-NEXT:      ttile.store %[[ZERO]], %[[WINDOW]] through {{.*}}(%p_o, %[[H]], %c0)
// CHECK-NEXT:      %[[ROW:.*]] = ttile.load %arg0 through {{.*}}(%p_o, %[[H]], %c1) {in_bounds = array<i1: true, true>}
// CHECK-SAME:          -> tensor<8xf32>
// CHECK-NEXT:      ttile.store %[[ROW]], %[[WINDOW]] through {{.*}}(%p_o, %[[H]], %c1)
// CHECK-NEXT:      ttile.store %[[ZERO]], %[[WINDOW]] through {{.*}}(%p_o, %[[H]], %c9)
// CHECK:         scf.for %{{.*}} = %[[UPPER]] to %c4 step
// CHECK-NEXT:      ttile.store %[[ZEROS]], %[[WINDOW]]
func.func @main(%x: tensor<6x8xf32>, %w: tensor<3x3xf32>) -> tensor<6x8xf32> {
  %y = tkernel.kernel @plane (%p : 6, %q : 8, %r : 3, %s : 3) reads(%a = %x : tensor<6x8xf32>, %b = %w : tensor<3x3xf32>) -> tensor<6x8xf32>
      attributes {schedule = #tkernel.schedule<[split p = [p_o, p_i 2], grid [p_o], order [p_i, r, s], tile [q], stage x window at grid local]>} {
    %0 = tkernel.load %a[%p + %r - 1, %q + %s - 1] else 0.0 {name = "x"} : tensor<6x8xf32>
    %1 = tkernel.load %b[%r, %s] : tensor<3x3xf32>
    %2 = tkernel.contract %0, %1 over (%r, %s) : f32
    tkernel.store %2, 0[%p, %q] : f32
  }
  return %y : tensor<6x8xf32>
}

// -----

// Groups of channels: the rows of a group are interleaved, in whole vectors; 18 elements of a row are 16 and 2. The
// last group has a channel beyond the tensor.
// CHECK-LABEL: ttile.func @groups
// CHECK:         %[[WINDOW:.*]] = ttile.alloc : memref<2x18x2xbf16, #gpu.address_space<workgroup>>
// CHECK:         ttile.load %arg0 through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 2 + d0, d1 + d3)>>(%c0, %c0) {in_bounds = array<i1: true, true>}
// CHECK-SAME:        -> tensor<2x16xbf16>
// CHECK-NEXT:    ttile.store %{{.*}}, %[[WINDOW]] through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2, d1 + d3, d0)>>(%c0, %c0)
// CHECK:         ttile.load %arg0 {{.*}}(%c0, %c16) {{.*}} -> tensor<2x2xbf16>
// CHECK:         ttile.load %arg0 {{.*}}, else 0.000000e+00 : bf16>(%c1, %c0) {in_bounds = array<i1: false, true>}
// CHECK:         ttile.load %[[WINDOW]] through #tview.map<affine_map<(d0, d1, d2, d3, d4) -> (d3, d1 + d4, d0)>>
// CHECK-SAME:        -> tensor<2x16x1xbf16>
func.func @main(%x: tensor<3x18xbf16>, %w: tensor<8x3x3xbf16>) -> tensor<16x8xf32> {
  %y = tkernel.kernel @groups (%q : 16, %f : 8, %c : 3, %s : 3) reads(%a = %x : tensor<3x18xbf16>, %b = %w : tensor<8x3x3xbf16>) -> tensor<16x8xf32>
      attributes {schedule = #tkernel.schedule<[split c = [c_o, c_g 2], order [c_o, s], tile [c_g, q, f], stage x window at grid local, stage w at grid local, contract c_g dot, edge c pad]>} {
    %0 = tkernel.load %a[%c, %q + %s] {name = "x"} : tensor<3x18xbf16>
    %1 = tkernel.load %b[%f, %c, %s] {name = "w"} : tensor<8x3x3xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %s) : bf16, bf16 -> f32
    tkernel.store %2, 0[%q, %f] : f32
  }
  return %y : tensor<16x8xf32>
}

// -----

// The elements of a group lie together in the tensor already: the window is copied as it lies, in whole rows.
// CHECK-LABEL: ttile.func @last
// CHECK:         %[[WINDOW:.*]] = ttile.alloc : memref<18x4xbf16, #gpu.address_space<workgroup>>
// CHECK:           ttile.load %arg0 through #tview.map<affine_map<(d0, d1, d2) -> (d1, d0 + d2)>>
// CHECK-SAME:          -> tensor<4xbf16>
// CHECK:         ttile.load %[[WINDOW]] through #tview.map<affine_map<(d0, d1, d2, d3, d4) -> (d1 + d3, d4 * 2 + d0)>>
// CHECK-SAME:        -> tensor<2x16x1xbf16>
func.func @main(%x: tensor<18x4xbf16>, %w: tensor<8x3x4xbf16>) -> tensor<16x8xf32> {
  %y = tkernel.kernel @last (%q : 16, %f : 8, %c : 4, %s : 3) reads(%a = %x : tensor<18x4xbf16>, %b = %w : tensor<8x3x4xbf16>) -> tensor<16x8xf32>
      attributes {schedule = #tkernel.schedule<[split c = [c_o, c_g 2], order [c_o, s], tile [c_g, q, f], stage x window at grid local, stage w at grid local, contract c_g dot]>} {
    %0 = tkernel.load %a[%q + %s, %c] {name = "x"} : tensor<18x4xbf16>
    %1 = tkernel.load %b[%f, %s, %c] {name = "w"} : tensor<8x3x4xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %s) : bf16, bf16 -> f32
    tkernel.store %2, 0[%q, %f] : f32
  }
  return %y : tensor<16x8xf32>
}

// -----

// No groups where one would begin at an odd channel or leave channels out, or is cut along two dimensions.
// CHECK-LABEL: ttile.func @odd
// CHECK:         ttile.alloc : memref<4x18xbf16, #gpu.address_space<workgroup>>
func.func @main(%x: tensor<5x18xbf16>, %w: tensor<8x4x3xbf16>) -> tensor<16x8xf32> {
  %y = tkernel.kernel @odd (%q : 16, %f : 8, %c : 4, %s : 3) reads(%a = %x : tensor<5x18xbf16>, %b = %w : tensor<8x4x3xbf16>) -> tensor<16x8xf32>
      attributes {schedule = #tkernel.schedule<[split c = [c_o, c_g 2], order [c_o, s], tile [c_g, q, f], stage x window at grid local, stage w at grid local, contract c_g dot]>} {
    %0 = tkernel.load %a[%c + 1, %q + %s] {name = "x"} : tensor<5x18xbf16>
    %1 = tkernel.load %b[%f, %c, %s] {name = "w"} : tensor<8x4x3xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %s) : bf16, bf16 -> f32
    tkernel.store %2, 0[%q, %f] : f32
  }
  return %y : tensor<16x8xf32>
}

// -----

// CHECK-LABEL: ttile.func @overlapping
// CHECK:         ttile.alloc : memref<6x16xbf16, #gpu.address_space<workgroup>>
func.func @main(%x: tensor<6x16xbf16>, %w: tensor<8x4x3xbf16>) -> tensor<16x8xf32> {
  %y = tkernel.kernel @overlapping (%q : 16, %f : 8, %c : 4, %s : 3) reads(%a = %x : tensor<6x16xbf16>, %b = %w : tensor<8x4x3xbf16>) -> tensor<16x8xf32>
      attributes {schedule = #tkernel.schedule<[split c = [c_o, c_g 2], order [c_o, s], tile [c_g, q, f], stage x window at grid local, stage w at grid local, contract c_g dot]>} {
    %0 = tkernel.load %a[%c + %s, %q] {name = "x"} : tensor<6x16xbf16>
    %1 = tkernel.load %b[%f, %c, %s] {name = "w"} : tensor<8x4x3xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %s) : bf16, bf16 -> f32
    tkernel.store %2, 0[%q, %f] : f32
  }
  return %y : tensor<16x8xf32>
}

// -----

// CHECK-LABEL: ttile.func @sparse
// CHECK:         ttile.alloc : memref<7x18xbf16, #gpu.address_space<workgroup>>
func.func @main(%x: tensor<7x18xbf16>, %w: tensor<8x4x3xbf16>) -> tensor<16x8xf32> {
  %y = tkernel.kernel @sparse (%q : 16, %f : 8, %c : 4, %s : 3) reads(%a = %x : tensor<7x18xbf16>, %b = %w : tensor<8x4x3xbf16>) -> tensor<16x8xf32>
      attributes {schedule = #tkernel.schedule<[split c = [c_o, c_g 2], order [c_o, s], tile [c_g, q, f], stage x window at grid local, stage w at grid local, contract c_g dot]>} {
    %0 = tkernel.load %a[%c * 2, %q + %s] {name = "x"} : tensor<7x18xbf16>
    %1 = tkernel.load %b[%f, %c, %s] {name = "w"} : tensor<8x4x3xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %s) : bf16, bf16 -> f32
    tkernel.store %2, 0[%q, %f] : f32
  }
  return %y : tensor<16x8xf32>
}

// -----

// CHECK-LABEL: ttile.func @diagonal
// CHECK:         ttile.alloc : memref<4x4x18xbf16, #gpu.address_space<workgroup>>
func.func @main(%x: tensor<4x4x18xbf16>, %w: tensor<8x4x3xbf16>) -> tensor<16x8xf32> {
  %y = tkernel.kernel @diagonal (%q : 16, %f : 8, %c : 4, %s : 3) reads(%a = %x : tensor<4x4x18xbf16>, %b = %w : tensor<8x4x3xbf16>) -> tensor<16x8xf32>
      attributes {schedule = #tkernel.schedule<[split c = [c_o, c_g 2], order [c_o, s], tile [c_g, q, f], stage x window at grid local, stage w at grid local, contract c_g dot]>} {
    %0 = tkernel.load %a[%c, %c, %q + %s] {name = "x"} : tensor<4x4x18xbf16>
    %1 = tkernel.load %b[%f, %c, %s] {name = "w"} : tensor<8x4x3xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %s) : bf16, bf16 -> f32
    tkernel.store %2, 0[%q, %f] : f32
  }
  return %y : tensor<16x8xf32>
}

// -----

// What a load is extended to is extended once, while it is copied.
// CHECK-LABEL: ttile.func @extended
// CHECK:         %[[WINDOW:.*]] = ttile.alloc : memref<2x6xf32, #gpu.address_space<workgroup>>
// CHECK:           %[[NARROW:.*]] = ttile.load %arg0 {{.*}} -> tensor<6xf16>
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extf %[[NARROW]] : tensor<6xf16> to tensor<6xf32>
// CHECK-NEXT:      ttile.store %[[WIDE]], %[[WINDOW]]
// CHECK:         ttile.load %[[WINDOW]]
// CHECK-SAME:        -> tensor<4xf32>
// CHECK-NOT:     tensor<4xf16>
func.func @main(%x: tensor<2x8xf16>, %w: tensor<2x3xf32>) -> tensor<8xf32> {
  %y = tkernel.kernel @extended (%p : 8, %c : 2, %r : 3) reads(%a = %x : tensor<2x8xf16>, %b = %w : tensor<2x3xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[split p = [p_o, p_i 4], grid [p_o], order [c, r], tile [p_i], stage wide window at grid local]>} {
    %0 = tkernel.load %a[%c, %p + %r - 1] else 0.0 : tensor<2x8xf16>
    %wide = arith.extf %0 {name = "wide"} : f16 to f32
    %1 = tkernel.load %b[%c, %r] : tensor<2x3xf32>
    %2 = tkernel.contract %wide, %1 over (%c, %r) : f32
    tkernel.store %2, 0[%p] : f32
  }
  return %y : tensor<8xf32>
}
