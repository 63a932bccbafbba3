// RUN: tensor-opt %s --kernel-print-loops -o /dev/null | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet --no-cache --target=host:x86-64-v3
// RUN: tensor-run %s --compare=interpreter --quiet --no-cache

// Boxes: what windows read of what is computed is computed once for each point of a sum of axes.
func.func @main(%x: tensor<3x20x20xf32>, %w: tensor<16x3x3x3xf32>, %k: tensor<16x3x3xf32>)
    -> (tensor<16x10x10xf32>, tensor<16x20x20xf32>, tensor<16x20x20xf32>) {
  // Two programs of five rows have boxes of eleven rows, which share one; tiles of the box are those of the kernel.
  // CHECK-LABEL: loops @pool grid [co 2, ho 2] {
  // CHECK:         alloc m [11x8x21]
  // CHECK-NEXT:    fill m {
  // CHECK-NEXT:      %{{[0-9]+}} for r_box from 0 to 11 {
  // CHECK:             %{{[0-9]+}} for s_box from 0 to 20 step 10 {
  // CHECK:               step of contract#2 [8x10]
  // CHECK:             }
  // CHECK:             step of contract#2 [8x1]
  // CHECK:         for cr from 0 to 8
  // CHECK-NOT:       contract
  // CHECK:           staged m [10]
  // CHECK-NEXT:      step of reduce
  %0 = tkernel.kernel @pool (%c : 16, %h : 10, %v : 10, %r : 3, %s : 3, %d : 3, %p : 3, %q : 3) reads(%a = %x : tensor<3x20x20xf32>, %b = %w : tensor<16x3x3x3xf32>) -> tensor<16x10x10xf32>
      attributes {schedule = #tkernel.schedule<[split c = [co, cr 8], split h = [ho, hi 5], split v = [vo, vl 10], grid [co, ho], order [cr, hi, vo, r, s, d, p, q], tile [vl], stage m window as (hi, r, cr, s, vl) at grid local]>} {
    %1 = tkernel.load %a[%d, 2 * %h + %r + %p - 2, 2 * %v + %s + %q - 2] else 0.0 : tensor<3x20x20xf32>
    %2 = tkernel.load %b[%c, %d, %p, %q] : tensor<16x3x3x3xf32>
    %3 = tkernel.contract %1, %2 over (%d, %p, %q) : f32
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %4 = arith.maximumf %3, %zero : f32
    %row = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1 - 1)>(%h, %r)
    %column = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1 - 1)>(%v, %s)
    %first = arith.constant 0 : index
    %below = arith.cmpi sge, %row, %first : index
    %behind = arith.cmpi sge, %column, %first : index
    %inside = arith.andi %below, %behind : i1
    %m = arith.select %inside, %4, %low {name = "m"} : f32
    %5 = tkernel.reduce maximumf %m over (%r, %s) : f32
    tkernel.store %5, 0[%c, %h, %v] : f32
  }
  // The last program of a peeled axis has a smaller box; a box ends where the axis does.
  // CHECK-LABEL: loops @rest grid [co 2, ho 3] {
  // CHECK:         alloc m [10x8x34]
  // CHECK-NEXT:    if ho is 2 {
  // CHECK:           for r_box from 0 to 6 {
  // CHECK-NEXT:        %{{[0-9]+}} start contract#2 [8x16]
  // CHECK:             start contract#2 [8x6]
  // CHECK:         } else {
  // CHECK:           for r_box from 0 to 10 {
  %6 = tkernel.kernel @rest (%c : 16, %h : 20, %v : 20, %r : 3, %s : 3, %d : 3) reads(%a = %x : tensor<3x20x20xf32>, %b = %w : tensor<16x3x3x3xf32>, %e = %k : tensor<16x3x3xf32>) -> tensor<16x20x20xf32>
      attributes {schedule = #tkernel.schedule<[split c = [co, cr 8], split h = [ho, hi 8], split v = [vo, vl 16], grid [co, ho], order [vo, cr, hi, r, s, d], tile [vl], stage m window as (hi, r, cr, s, vo, vl) at grid local, unroll r, unroll s, edge h peel, edge v peel]>} {
    %7 = tkernel.load %a[%d, %h + %r - 1, %v + %s - 1] else 0.0 : tensor<3x20x20xf32>
    %8 = tkernel.load %b[%c, %d, 0, 2] : tensor<16x3x3x3xf32>
    %9 = tkernel.contract %7, %8 over (%d) : f32
    %m = math.tanh %9 {name = "m"} : f32
    %10 = tkernel.load %e[%c, %r, %s] : tensor<16x3x3xf32>
    %11 = tkernel.contract %m, %10 over (%r, %s) : f32
    tkernel.store %11, 0[%c, %h, %v] : f32
  }
  // A box in each iteration of a loop, along the rows alone; without an order its dimensions are those of the loops.
  // CHECK-LABEL: loops @rows grid [c 16] {
  // CHECK:         alloc m [22x3]
  // CHECK-NEXT:    %{{[0-9]+}} for v from 0 to 20 {
  // CHECK-NEXT:      fill m {
  // CHECK-NEXT:        %{{[0-9]+}} for r_box from 0 to 22 {
  %12 = tkernel.kernel @rows (%c : 16, %h : 20, %v : 20, %r : 3, %s : 3) reads(%a = %x : tensor<3x20x20xf32>, %e = %k : tensor<16x3x3xf32>) -> tensor<16x20x20xf32>
      attributes {schedule = #tkernel.schedule<[split h = [ho, hi 4], grid [c], order [v, ho, hi, r], tile [s], stage m window at v local]>} {
    %13 = tkernel.load %a[1, %h + %r - 1, %v] else 0.0 : tensor<3x20x20xf32>
    %14 = tkernel.load %e[%c, 0, %s] : tensor<16x3x3xf32>
    %15 = arith.mulf %13, %14 : f32
    %m = math.exp %15 {name = "m"} : f32
    %16 = tkernel.reduce addf %m over (%r, %s) : f32
    tkernel.store %16, 0[%c, %h, %v] : f32
  }
  return %0, %6, %12 : tensor<16x10x10xf32>, tensor<16x20x20xf32>, tensor<16x20x20xf32>
}
