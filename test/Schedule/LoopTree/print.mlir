// The loops that lists make, node by node.
// RUN: tensor-opt %s --kernel-print-loops -o /dev/null | FileCheck %s

// The last program of a peeled axis is apart, and so is the last iteration of a loop inside.
// CHECK-LABEL: loops @product grid [mo 3] {
// CHECK-NEXT:    if mo is 2 {
// CHECK-NEXT:      %{{[0-9]+}} start sum [2x6]
// CHECK-NEXT:      %{{[0-9]+}} for k from 0 to 7 carry sum [2x6]
// CHECK-NEXT:        %{{[0-9]+}} load lhs [2x1]
// CHECK-NEXT:        %{{[0-9]+}} load rhs [1x6]
// CHECK-NEXT:        %{{[0-9]+}} step of sum [2x6]
// CHECK-NEXT:      }
// CHECK-NEXT:      %{{[0-9]+}} store store#3 [2x6]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %{{[0-9]+}} start sum [4x6]
// CHECK-NEXT:      %{{[0-9]+}} for k from 0 to 7 carry sum [4x6]
func.func @peeled(%x: tensor<10x7xf32>, %w: tensor<7x6xf32>) -> tensor<10x6xf32> {
  %y = tkernel.kernel @product (%m : 10, %n : 6, %k : 7) reads(%a = %x : tensor<10x7xf32>, %b = %w : tensor<7x6xf32>) -> tensor<10x6xf32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mi 4], grid [mo], order [k], tile [mi, n], edge m peel]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<10x7xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<7x6xf32>
    %2 = tkernel.contract %0, %1 over (%k) {name = "sum"} : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<10x6xf32>
}

// One buffer for each iteration of the loop, filled by loops of its own; a value that does not vary along the inner
// loop is computed outside of it.
// CHECK-LABEL: loops @turned grid [] {
// CHECK-NEXT:    %[[V:.*]] alloc v [32x8]
// CHECK-NEXT:    %{{[0-9]+}} for jo from 0 to 2 {
// CHECK-NEXT:      %{{[0-9]+}} for io from 0 to 5 {
// CHECK-NEXT:        fill v {
// CHECK-NEXT:          %{{[0-9]+}} for ji from 0 to 32 step 16 {
// CHECK-NEXT:            %{{[0-9]+}} load v [16x8]
// CHECK-NEXT:            fill v [16x8] {{.*}} in %[[V]]
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        %{{[0-9]+}} load f [8]
// CHECK-NEXT:        %[[E:.*]] compute e [8]
// CHECK-NEXT:        %{{[0-9]+}} for ji from 0 to 32 {
// CHECK-NEXT:          %[[S:.*]] staged v [8] in %[[V]]
// CHECK-NEXT:          %[[P:.*]] compute p [8] of %[[S]], %[[E]]
// CHECK-NEXT:          %{{[0-9]+}} store store#4 [8] of %[[P]]
func.func @staged(%x: tensor<40x64xf32>, %s: tensor<40xf32>) -> tensor<64x40xf32> {
  %y = tkernel.kernel @turned (%i : 40, %j : 64) reads(%a = %x : tensor<40x64xf32>, %b = %s : tensor<40xf32>) -> tensor<64x40xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 8], split j = [jo, ji 32], order [jo, io, ji], tile [ii], stage v as (ji, ii) at io local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<40x64xf32>
    %f = tkernel.load %b[%i] {name = "f"} : tensor<40xf32>
    %e = math.exp %f {name = "e"} : f32
    %p = arith.mulf %v, %e {name = "p"} : f32
    tkernel.store %p, 0[%j, %i] : f32
  }
  return %y : tensor<64x40xf32>
}

// Two stages, and what is kept between them.
// CHECK-LABEL: loops @normalized grid [i 8] {
// CHECK-NEXT:    %{{[0-9]+}} alloc e [4x16]
// CHECK-NEXT:    %{{[0-9]+}} start s [16]
// CHECK-NEXT:    %[[LOOP:.*]] for jo from 0 to 4 carry s [16]
// CHECK:           %{{[0-9]+}} keep e [16]
// CHECK-NEXT:      %{{[0-9]+}} step of s [16] on %[[LOOP]].in0
// CHECK-NEXT:    }
// CHECK-NEXT:    %{{[0-9]+}} combine s [1] on %[[LOOP]].after0 along 0
// CHECK-NEXT:    %{{[0-9]+}} for jo from 0 to 4 {
// CHECK-NEXT:      %{{[0-9]+}} kept e [16]
// CHECK-NEXT:      %{{[0-9]+}} compute q [16]
// CHECK-NEXT:      %{{[0-9]+}} store store#4 [16]
func.func @stages(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = tkernel.kernel @normalized (%i : 8, %j : 64) reads(%a = %x : tensor<8x64xf32>) -> tensor<8x64xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 16], grid [i], order [jo], tile [ji], keep e local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<8x64xf32>
    %e = math.exp %v {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) {name = "s"} : f32
    %q = arith.divf %e, %s {name = "q"} : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<8x64xf32>
}

// Partial sums in the result.
// CHECK-LABEL: loops @columns grid [] {
// CHECK-NEXT:    %{{[0-9]+}} for jo from 0 to 4 {
// CHECK-NEXT:      %{{[0-9]+}} keep s [1x16]
// CHECK-NEXT:    }
// CHECK-NEXT:    %{{[0-9]+}} for io from 0 to 8 {
// CHECK-NEXT:      %{{[0-9]+}} for jo from 0 to 4 {
// CHECK-NEXT:        %{{[0-9]+}} load v [4x16]
// CHECK-NEXT:        %[[STEP:.*]] step of s [4x16]
// CHECK-NEXT:        %[[PART:.*]] combine s [1x16] on %[[STEP]] along 0
// CHECK-NEXT:        %[[BEFORE:.*]] kept s [1x16]
// CHECK-NEXT:        %[[SUM:.*]] add part of s [1x16] on %[[BEFORE]], %[[PART]]
// CHECK-NEXT:        %{{[0-9]+}} keep s [1x16] on %[[SUM]]
func.func @partial(%x: tensor<32x64xf32>) -> tensor<64xf32> {
  %y = tkernel.kernel @columns (%j : 64, %i : 32) reads(%a = %x : tensor<32x64xf32>) -> tensor<64xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 4], split j = [jo, ji 16], order [io, jo], tile [ii, ji], keep s result]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<32x64xf32>
    %s = tkernel.reduce addf %v over (%i) {name = "s"} : f32
    tkernel.store %s, 0[%j] : f32
  }
  return %y : tensor<64xf32>
}

// Points beyond an axis are masked in sums.
// CHECK-LABEL: loops @sum grid [] {
// CHECK:         %[[MASK:.*]] mask [4] inside i
// CHECK-NEXT:    %{{[0-9]+}} step of s [4] {{.*}} where %[[MASK]]
// CHECK:         %{{[0-9]+}} combine s [1]
func.func @masked(%x: tensor<10xf32>) -> tensor<f32> {
  %y = tkernel.kernel @sum (%i : 10) reads(%a = %x : tensor<10xf32>) -> tensor<f32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 4], order [io], tile [ii]]>} {
    %v = tkernel.load %a[%i] {name = "v"} : tensor<10xf32>
    %s = tkernel.reduce addf %v over (%i) {name = "s"} : f32
    tkernel.store %s, 0[] : f32
  }
  return %y : tensor<f32>
}

// What is kept for one sum alone, whose loop is inside of one over an axis that it does not have, is computed once before that.
// CHECK-LABEL: loops @kept_before_a_loop grid [i_o 4] {
// CHECK:           %[[ROOT:[0-9]+]] compute rsqrt
// CHECK:           for k from 0 to 9 {
// CHECK:             keep unit [1x1]
// CHECK-NEXT:      }
// CHECK-NEXT:      %{{[0-9]+}} for j_o from 0 to 3 {
// CHECK:             for k from 0 to 9 carry
// CHECK-NEXT:          kept unit [1x1]
// CHECK-NOT:           keep unit
func.func @kept_before_a_loop(%x: tensor<4x9xf32>, %w: tensor<9x12xf32>) -> tensor<4x12xf32> {
  %y = tkernel.kernel @kept_before_a_loop (%i : 4, %k : 9, %j : 12) reads(%a = %x : tensor<4x9xf32>, %b = %w : tensor<9x12xf32>) -> tensor<4x12xf32>
      attributes {schedule = #tkernel.schedule<[split i = [i_o, i_r 1], split j = [j_o, j_l 4], grid [i_o], order [j_o, k], tile [i_r, j_l], keep unit local]>} {
    %0 = tkernel.load %a[%i, %k] : tensor<4x9xf32>
    %1 = arith.mulf %0, %0 : f32
    %2 = tkernel.reduce addf %1 over (%k) : f32
    %3 = math.rsqrt %2 : f32
    %4 = arith.mulf %0, %3 {name = "unit"} : f32
    %5 = tkernel.load %b[%k, %j] : tensor<9x12xf32>
    %6 = tkernel.contract %4, %5 over (%k) : f32
    tkernel.store %6, 0[%i, %j] : f32
  }
  return %y : tensor<4x12xf32>
}
