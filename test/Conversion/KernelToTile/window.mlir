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
