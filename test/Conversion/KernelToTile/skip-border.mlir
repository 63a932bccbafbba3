// RUN: tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile --canonicalize --cse | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// Taps in lines beyond the border are left out by the bounds of their loop. Columns that an unrolled tap finds there
// are zero by a guard that is decided for each of them.
// CHECK-DAG: #[[$INSIDE:.*]] = affine_map<(d0) -> (-d0 + 1)>
// CHECK-DAG: #[[$OUTSIDE:.*]] = affine_map<(d0) -> (-d0 + 7)>
// CHECK-LABEL: ttile.func @lines
// CHECK:         scf.for {{.*}} = %c0 to %c5 {{.*}} -> (tensor<7x20xf32>) {
// CHECK-NEXT:      %[[INSIDE:.*]] = affine.apply #[[$INSIDE]](%p)
// CHECK-NEXT:      %[[POSITIVE:.*]] = arith.maxsi %[[INSIDE]], %c0
// CHECK-NEXT:      %[[FIRST:.*]] = arith.minsi %[[POSITIVE]], %c3
// CHECK-NEXT:      %[[OUTSIDE:.*]] = affine.apply #[[$OUTSIDE]](%p)
// CHECK-NEXT:      %[[SOME:.*]] = arith.maxsi %[[OUTSIDE]], %c0
// CHECK-NEXT:      %[[END:.*]] = arith.minsi %[[SOME]], %c3
// CHECK-NEXT:      scf.for {{.*}} = %[[FIRST]] to %[[END]]
// CHECK-LABEL: ttile.func @columns
// CHECK:         ttile.load {{.*}} : (d0 + d4 ge 1, -d0 - d4 ge -7) else 0.000000e+00 : f32]>({{.*}}, %c0) : memref<5x3x9xf32,
// CHECK:         ttile.mma {{.*}} skips_zeros : tensor<7x1xf32>, tensor<1x20xf32>, tensor<7x20xf32>
// CHECK:         ttile.load {{.*}} : (d0 + d4 ge 1, -d0 - d4 ge -7) else 0.000000e+00 : f32]>({{.*}}, %c1) : memref<5x3x9xf32,
// CHECK:         ttile.mma {{.*}} skips_zeros : tensor<7x1xf32>, tensor<1x20xf32>, tensor<7x20xf32>
// CHECK:         ttile.load {{.*}} : (d0 + d4 ge 1, -d0 - d4 ge -7) else 0.000000e+00 : f32]>({{.*}}, %c2) : memref<5x3x9xf32,
// CHECK:         ttile.mma {{.*}} skips_zeros : tensor<7x1xf32>, tensor<1x20xf32>, tensor<7x20xf32>
// CHECK-LABEL: ttile.func @blocks
// Where lines and columns both move with a tap, its loop begins with the later of their first ones and ends with the
// earlier of their last ones.
// CHECK-LABEL: ttile.func @diagonal
// CHECK:         %[[BEGIN:.*]] = arith.maxsi %{{[0-9]+}}, %{{[0-9]+}}
// CHECK:         %[[END:.*]] = arith.minsi %{{[0-9]+}}, %{{[0-9]+}}
// CHECK-NEXT:    scf.for {{.*}} = %[[BEGIN]] to %[[END]]
func.func @main(%x: tensor<5x6x7xf32>, %w: tensor<20x5x3x3xf32>, %v: tensor<20x5x3xf32>) -> (tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x3x4xf32>, tensor<20x6x7xf32>, tensor<20x14x13xf32>, tensor<20x6x7xf32>) {
  %lines = tkernel.kernel @lines (%f : 20, %p : 6, %q : 7, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<5x6x7xf32>, %weights = %w : tensor<20x5x3x3xf32>) -> tensor<20x6x7xf32>
      attributes {schedule = #tkernel.schedule<[grid [p], order [c, r, s], tile [q, f], stage input window at grid local, skip r]>} {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q + %s - 1] else 0.0 {name = "input"} : tensor<5x6x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<20x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  %columns = tkernel.kernel @columns (%f : 20, %p : 6, %q : 7, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<5x6x7xf32>, %weights = %w : tensor<20x5x3x3xf32>) -> tensor<20x6x7xf32>
      attributes {schedule = #tkernel.schedule<[grid [p], order [s, c, r], tile [q, f], stage input window at grid local, unroll s, skip r, skip s]>} {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q + %s - 1] else 0.0 {name = "input"} : tensor<5x6x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<20x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  %blocks = tkernel.kernel @blocks (%f : 20, %p : 6, %q : 7, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<5x6x7xf32>, %weights = %w : tensor<20x5x3x3xf32>) -> tensor<20x6x7xf32>
      attributes {schedule = #tkernel.schedule<[split p = [p_b, p_i 4], grid [p_b], order [p_i, r, c, s], tile [q, f], stage input window at grid local, skip r, edge p peel]>} {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q + %s - 1] else 0.0 {name = "input"} : tensor<5x6x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<20x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  %tall = tkernel.kernel @tall (%f : 20, %p : 6, %q : 7, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<5x6x7xf32>, %weights = %w : tensor<20x5x3x3xf32>) -> tensor<20x6x7xf32>
      attributes {schedule = #tkernel.schedule<[split p = [p_b, p_t 2], split f = [f_o, f_l 16], grid [p_b, f_o], order [r, c, s], tile [p_t, q, f_l], skip r, edge f peel]>} {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q + %s - 1] else 0.0 {name = "input"} : tensor<5x6x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<20x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  %unstaged = tkernel.kernel @unstaged (%f : 20, %p : 6, %q : 7, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<5x6x7xf32>, %weights = %w : tensor<20x5x3x3xf32>) -> tensor<20x6x7xf32>
      attributes {schedule = #tkernel.schedule<[grid [p], order [s, c, r], tile [q, f], unroll s, skip s, skip r]>} {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q + %s - 1] else 0.0 {name = "input"} : tensor<5x6x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<20x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  %parts = tkernel.kernel @parts (%f : 20, %p : 6, %q : 7, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<5x6x7xf32>, %weights = %w : tensor<20x5x3x3xf32>) -> tensor<20x6x7xf32>
      attributes {schedule = #tkernel.schedule<[split r = [r_o, r_i 2], grid [p], order [c, r_o, s, r_i], tile [q, f], stage input window at grid local, skip r, edge r peel]>} {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q + %s - 1] else 0.0 {name = "input"} : tensor<5x6x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<20x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  %some = tkernel.kernel @some (%f : 20, %p : 6, %q : 7, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<5x6x7xf32>, %weights = %w : tensor<20x5x3x3xf32>) -> tensor<20x6x7xf32>
      attributes {schedule = #tkernel.schedule<[grid [p], order [c, r, s], tile [q, f], stage input window at c local, unroll r 2, skip r]>} {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q + %s - 1] else 0.0 {name = "input"} : tensor<5x6x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<20x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  %halves = tkernel.kernel @halves (%f : 20, %p : 6, %q : 7, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<5x6x7xf32>, %weights = %w : tensor<20x5x3x3xf32>) -> tensor<20x6x7xf32>
      attributes {schedule = #tkernel.schedule<[split q = [q_o, q_i 4], grid [p], order [q_o, s, c, r], tile [q_i, f], stage input window at grid local, unroll s, skip s, edge q peel]>} {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q + %s - 1] else 0.0 {name = "input"} : tensor<5x6x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<20x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  %dilated = tkernel.kernel @dilated (%f : 20, %p : 6, %q : 7, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<5x6x7xf32>, %weights = %w : tensor<20x5x3x3xf32>) -> tensor<20x6x7xf32>
      attributes {schedule = #tkernel.schedule<[grid [p], order [s, c, r], tile [q, f], stage input window at grid local, unroll s, skip r, skip s]>} {
    %0 = tkernel.load %in[%c, %p + 3 * %r - 3, %q + 5 * %s - 5] else 0.0 {name = "input"} : tensor<5x6x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<20x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  %strided = tkernel.kernel @strided (%f : 20, %p : 3, %q : 4, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<5x6x7xf32>, %weights = %w : tensor<20x5x3x3xf32>) -> tensor<20x3x4xf32>
      attributes {schedule = #tkernel.schedule<[order [p, s, c, r], tile [q, f], stage input window at grid local, unroll s, skip r, skip s]>} {
    %0 = tkernel.load %in[%c, 2 * %p + %r - 1, 2 * %q + %s - 1] else 0.0 {name = "input"} : tensor<5x6x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<20x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  %reversed = tkernel.kernel @reversed (%f : 20, %p : 6, %q : 7, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<5x6x7xf32>, %weights = %w : tensor<20x5x3x3xf32>) -> tensor<20x6x7xf32>
      attributes {schedule = #tkernel.schedule<[grid [p], order [s, c, r], tile [q, f], unroll s, skip r, skip s]>} {
    %0 = tkernel.load %in[%c, %p - %r + 1, %q - %s + 1] else 0.0 {name = "input"} : tensor<5x6x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<20x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  %beyond = tkernel.kernel @beyond (%f : 20, %p : 14, %q : 13, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<5x6x7xf32>, %weights = %w : tensor<20x5x3x3xf32>) -> tensor<20x14x13xf32>
      attributes {schedule = #tkernel.schedule<[grid [p], order [s, c, r], tile [q, f], stage input window at grid local, unroll s, skip r, skip s]>} {
    %0 = tkernel.load %in[%c, %p + %r - 5, %q + %s - 4] else 0.0 {name = "input"} : tensor<5x6x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<20x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  %kept = tkernel.kernel @kept (%f : 20, %p : 6, %q : 7, %c : 5, %r : 3, %s : 3) reads(%in = %x : tensor<5x6x7xf32>, %weights = %w : tensor<20x5x3x3xf32>) -> tensor<20x6x7xf32>
      attributes {schedule = #tkernel.schedule<[grid [p], order [r, f, c, s], tile [q], keep sum result, skip r]>} {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q + %s - 1] else 0.0 {name = "input"} : tensor<5x6x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] {finite} : tensor<20x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) {name = "sum"} : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  %diagonal = tkernel.kernel @diagonal (%f : 20, %p : 6, %q : 7, %c : 5, %r : 3) reads(%in = %x : tensor<5x6x7xf32>, %weights = %v : tensor<20x5x3xf32>) -> tensor<20x6x7xf32>
      attributes {schedule = #tkernel.schedule<[grid [p, q], order [c, r], tile [f], skip r]>} {
    %0 = tkernel.load %in[%c, %p + %r - 1, %q + %r - 1] else 0.0 : tensor<5x6x7xf32>
    %1 = tkernel.load %weights[%f, %c, %r] {finite} : tensor<20x5x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  return %diagonal, %lines, %columns, %blocks, %tall, %unstaged, %parts, %some, %halves, %dilated, %strided, %reversed, %beyond, %kept : tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x6x7xf32>, tensor<20x3x4xf32>, tensor<20x6x7xf32>, tensor<20x14x13xf32>, tensor<20x6x7xf32>
}
