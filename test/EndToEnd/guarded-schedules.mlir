// RUN: random-schedules --own --opt=0 %s | FileCheck %s
// RUN: random-schedules --own --opt=3 --seed=1 %s | FileCheck %s

// Schedules that random ones were reduced to when they read or wrote what they must not, or gave other
// results. Each runs in guarded, poisoned memory and is compared with the kernel without a schedule.
// CHECK: schedules of [[KERNELS:[0-9]+]] kernels, seed {{[0-9]+}}: 0 failures

// A window is copied outside of a loop of one iteration that the scan keeps.
func.func @window_around_one_point(%x: tensor<37x3xf32>) -> tensor<37x3xf32> {
  %y = tkernel.kernel (%i : 37, %j : 3) reads(%a = %x : tensor<37x3xf32>) -> tensor<37x3xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 12], stage v window at grid local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<37x3xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<37x3xf32>
}

// A part of one point around the others leaves them the whole peeled axis.
func.func @one_point_around(%x: tensor<5x31xf32>) -> tensor<5x31xf32> {
  %y = tkernel.kernel (%i : 5, %j : 31) reads(%a = %x : tensor<5x31xf32>) -> tensor<5x31xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 17], edge j peel, split ji = [jio, jii 17], order [i, jio]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<5x31xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<5x31xf32>
}

// All lanes of the last tile read one element beyond the tensor, or none: `h` is 19 there.
func.func @one_element_for_all_lanes(%x: tensor<19x3x5xf32>, %z: tensor<19x64x5xf32>) -> tensor<19x64x2x3xf32> {
  %y = tkernel.kernel (%h : 19, %i : 64, %e : 2, %j : 3, %d : 5) reads(%a = %x : tensor<19x3x5xf32>, %b = %z : tensor<19x64x5xf32>) -> tensor<19x64x2x3xf32>
      attributes {schedule = #tkernel.schedule<[merge m = [h, i, e], split m = [mo, mi 24], tile [j, mi]]>} {
    %v = tkernel.load %a[%h, %j, %d] : tensor<19x3x5xf32>
    %q = tkernel.load %b[%h, %i, %d] : tensor<19x64x5xf32>
    %w = tkernel.contract %v, %q over (%d) : f32
    tkernel.store %w, 0[%h, %i, %e, %j] : f32
  }
  return %y : tensor<19x64x2x3xf32>
}

// Programs along an inner part are as many in the last one along the outer part: some have nothing to do.
func.func @inner_part_in_grid(%x: tensor<13x6xf32>) -> tensor<78xf32> {
  %y = tkernel.kernel (%i : 6, %j : 13) reads(%a = %x : tensor<13x6xf32>) -> tensor<78xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 4], edge j peel, grid [i, jo, ji]]>} {
    %v = tkernel.load %a[%j, %i] : tensor<13x6xf32>
    %w = arith.negf %v : f32
    tkernel.store %w, 0[%i * 13 + 12 - %j] : f32
  }
  return %y : tensor<78xf32>
}

// What is summed over `j` in a loop over `i` that is closed again is summed anew for the last loop.
func.func @closed_stage(%x: tensor<7x9xf32>, %w: tensor<5xf32>) -> tensor<7xf32> {
  %y = tkernel.kernel (%i : 7, %j : 9, %k : 5) reads(%a = %x : tensor<7x9xf32>, %b = %w : tensor<5xf32>) -> tensor<7xf32>
      attributes {schedule = #tkernel.schedule<[order [i, j, k]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<7x9xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %u = tkernel.load %b[%k] : tensor<5xf32>
    %t = tkernel.reduce addf %u over (%k) : f32
    %d = arith.subf %v, %s : f32
    %r = tkernel.reduce maximumf %d over (%j) : f32
    %o = arith.addf %r, %t : f32
    tkernel.store %o, 0[%i] : f32
  }
  return %y : tensor<7xf32>
}

// The parts of a peeled axis are filled as they were split, whatever the order of the buffer.
func.func @parts_reversed(%x: tensor<30xf32>) -> tensor<30xf32> {
  %y = tkernel.kernel (%i : 30) reads(%a = %x : tensor<30xf32>) -> tensor<30xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 13], edge i peel, stage v as (ii, io) at grid local]>} {
    %v = tkernel.load %a[%i] {name = "v"} : tensor<30xf32>
    %w = arith.negf %v : f32
    tkernel.store %w, 0[%i] : f32
  }
  return %y : tensor<30xf32>
}

// The last dimension of the buffer, which tiles fill, is the first part of the peeled axis.
func.func @parts_behind_tile(%x: tensor<30x17xf32>) -> tensor<17x30xf32> {
  %y = tkernel.kernel (%i : 17, %j : 30) reads(%a = %x : tensor<30x17xf32>) -> tensor<17x30xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 3, jj 4], edge j peel, stage v as (ji, jj, i, jo) at grid local]>} {
    %v = tkernel.load %a[%j, %i] {name = "v"} : tensor<30x17xf32>
    %w = arith.negf %v : f32
    tkernel.store %w, 0[%i, %j] : f32
  }
  return %y : tensor<17x30xf32>
}

// Two values are packed for all programs; nothing else uses the second one.
func.func @two_panels(%x: tensor<10x5xf32>, %w: tensor<5x11xf32>) -> tensor<10x11xf32> {
  %y = tkernel.kernel (%m : 10, %n : 11, %k : 5) reads(%a = %x : tensor<10x5xf32>, %b = %w : tensor<5x11xf32>) -> tensor<10x11xf32>
      attributes {schedule = #tkernel.schedule<[tile [n], stage neg at kernel global, stage rhs at kernel global]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<10x5xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<5x11xf32>
    %2 = arith.negf %1 {name = "neg"} : f32
    %3 = tkernel.contract %0, %2 over (%k) : f32
    tkernel.store %3, 0[%m, %n] : f32
  }
  return %y : tensor<10x11xf32>
}

// One element of local memory for what varies along the grid alone.
func.func @kept_along_grid(%x: tensor<7x9xf32>) -> tensor<7x9xf32> {
  %y = tkernel.kernel (%i : 7, %j : 9) reads(%a = %x : tensor<7x9xf32>) -> tensor<7x9xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], keep n local]>} {
    %v = tkernel.load %a[%i, %j] : tensor<7x9xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %n = arith.negf %s {name = "n"} : f32
    %m = arith.mulf %v, %n : f32
    %t = tkernel.reduce addf %m over (%j) : f32
    %w = arith.addf %n, %t : f32
    %r = arith.mulf %v, %w : f32
    tkernel.store %r, 0[%i, %j] : f32
  }
  return %y : tensor<7x9xf32>
}

// Only the last iteration of the outermost part has points beyond the axis, which was split twice.
func.func @split_twice(%x: tensor<3x50xf32>) -> tensor<3xf32> {
  %y = tkernel.kernel (%i : 3, %k : 50) reads(%a = %x : tensor<3x50xf32>) -> tensor<3xf32>
      attributes {schedule = #tkernel.schedule<[split k = [ko, ki 4, kj 2], edge k peel, split ko = [koo, koi 3], edge ko peel, order [i, koo, koi, ki], tile [kj]]>} {
    %v = tkernel.load %a[%i, %k] : tensor<3x50xf32>
    %one = arith.constant 1.0 : f32
    %w = arith.addf %v, %one : f32
    %s = tkernel.reduce addf %w over (%k) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<3xf32>
}

// While the product fills its buffer, whose loops are others, `rhs` is not in its own.
func.func @filled_in_filling(%x: tensor<6x5xf32>, %w: tensor<5x11xf32>) -> tensor<6x11xf32> {
  %y = tkernel.kernel (%m : 6, %n : 11, %k : 5) reads(%a = %x : tensor<6x5xf32>, %b = %w : tensor<5x11xf32>) -> tensor<6x11xf32>
      attributes {schedule = #tkernel.schedule<[split n = [no, ni 16], stage v as (ni, m) at grid local, stage rhs at ni local]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<6x5xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<5x11xf32>
    %2 = tkernel.contract %0, %1 over (%k) {name = "v"} : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<6x11xf32>
}

// Every second element of a row that is outside as a whole.
func.func @strided_outside(%x: tensor<3x31xf32>) -> tensor<4x16xf32> {
  %y = tkernel.kernel (%i : 4, %j : 16) reads(%a = %x : tensor<3x31xf32>) -> tensor<4x16xf32>
      attributes {schedule = #tkernel.schedule<[tile [j]]>} {
    %v = tkernel.load %a[%i - 1, 2 * %j] else 0.0 : tensor<3x31xf32>
    %w = arith.negf %v : f32
    tkernel.store %w, 0[%i, %j] : f32
  }
  return %y : tensor<4x16xf32>
}

// The product's buffer is filled by a peeled loop, in front of the loops that are there.
func.func @filled_by_peeled_loop(%x: tensor<6x64xf32>, %w: tensor<64x4xf32>) -> tensor<6x4xf32> {
  %y = tkernel.kernel (%m : 6, %n : 4, %k : 64) reads(%a = %x : tensor<6x64xf32>, %b = %w : tensor<64x4xf32>) -> tensor<6x4xf32>
      attributes {schedule = #tkernel.schedule<[split k = [ko, ki 12], edge k peel, split n = [no, ni 8], stage v as (m, ni) at grid local]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<6x64xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<64x4xf32>
    %2 = tkernel.contract %0, %1 over (%k) {name = "v"} : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<6x4xf32>
}

// A window holds what follows the axis in its tensor: beyond the axis nothing of it is summed.
func.func @windows_beyond_axis(%x: tensor<3x124xf32>, %w: tensor<124x5xf32>) -> tensor<4x3x5xf32> {
  %y = tkernel.kernel (%p : 4, %m : 3, %n : 5, %k : 31) reads(%a = %x : tensor<3x124xf32>, %b = %w : tensor<124x5xf32>) -> tensor<4x3x5xf32>
      attributes {schedule = #tkernel.schedule<[split k = [ko, ki 17, kj 17], stage rhs window at m local, stage lhs window at n local]>} {
    %0 = tkernel.load %a[%m, %p * 31 + %k] {name = "lhs"} : tensor<3x124xf32>
    %1 = tkernel.load %b[%p * 31 + %k, %n] {name = "rhs"} : tensor<124x5xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%p, %m, %n] : f32
  }
  return %y : tensor<4x3x5xf32>
}

// The maximum is not inside of the loop over e, though that comes first: what is filled for it reads the query itself.
func.func @filled_outside_of_loop(%q: tensor<5x7x3xf32>, %k: tensor<9x3xf32>, %v: tensor<9x4xf32>) -> tensor<5x7x4xf32> {
  %y = tkernel.kernel (%g : 5, %i : 7, %e : 4, %j : 9, %d : 3) reads(%a = %q : tensor<5x7x3xf32>, %b = %k : tensor<9x3xf32>, %c = %v : tensor<9x4xf32>) -> tensor<5x7x4xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 4], tile [g, ji], stage query at e local, stage score as (g, ji) at jo local]>} {
    %0 = tkernel.load %a[%g, %i, %d] {name = "query"} : tensor<5x7x3xf32>
    %1 = tkernel.load %b[%j, %d] : tensor<9x3xf32>
    %2 = tkernel.contract %0, %1 over (%d) {name = "score"} : f32
    %3 = tkernel.reduce maximumf %2 over (%j) : f32
    %4 = arith.subf %2, %3 : f32
    %5 = tkernel.load %c[%j, %e] : tensor<9x4xf32>
    %6 = tkernel.contract %4, %5 over (%j) : f32
    tkernel.store %6, 0[%g, %i, %e] : f32
  }
  return %y : tensor<5x7x4xf32>
}

// A loop of one iteration is open where the scores are summed again, in a loop over d inside of it: the query is copied there.
func.func @stage_at_one_iteration(%q: tensor<5x6xf32>, %k: tensor<9x6xf32>) -> tensor<5xf32> {
  %y = tkernel.kernel (%h : 5, %j : 9, %d : 6) reads(%a = %q : tensor<5x6xf32>, %b = %k : tensor<9x6xf32>) -> tensor<5xf32>
      attributes {schedule = #tkernel.schedule<[split d = [do, di 1], tile [h], stage query at di local]>} {
    %0 = tkernel.load %a[%h, %d] {name = "query"} : tensor<5x6xf32>
    %1 = tkernel.load %b[%j, %d] : tensor<9x6xf32>
    %2 = tkernel.contract %0, %1 over (%d) : f32
    %3 = tkernel.reduce maximumf %2 over (%j) : f32
    %4 = arith.subf %2, %3 : f32
    %5 = math.exp %4 : f32
    %6 = tkernel.reduce addf %5 over (%j) : f32
    tkernel.store %6, 0[%h] : f32
  }
  return %y : tensor<5xf32>
}

// The scores are summed again inside of the loop over e, which comes after that over d.
func.func @summed_again_inside(%q: tensor<5x6xf32>, %k: tensor<9x6xf32>, %v: tensor<9x4xf32>) -> tensor<5x4xf32> {
  %y = tkernel.kernel (%i : 5, %e : 4, %j : 9, %d : 6) reads(%a = %q : tensor<5x6xf32>, %b = %k : tensor<9x6xf32>, %c = %v : tensor<9x4xf32>) -> tensor<5x4xf32>
      attributes {schedule = #tkernel.schedule<[keep o local, order [i, j, d, e]]>} {
    %0 = tkernel.load %a[%i, %d] : tensor<5x6xf32>
    %1 = tkernel.load %b[%j, %d] : tensor<9x6xf32>
    %2 = tkernel.contract %0, %1 over (%d) : f32
    %3 = tkernel.reduce maximumf %2 over (%j) : f32
    %4 = arith.subf %2, %3 : f32
    %5 = tkernel.load %c[%j, %e] : tensor<9x4xf32>
    %6 = tkernel.contract %4, %5 over (%j) {name = "o"} : f32
    tkernel.store %6, 0[%i, %e] : f32
  }
  return %y : tensor<5x4xf32>
}

// What is summed over k and j is summed anew where the loop over k is not open.
func.func @closed_outer_loop(%x: tensor<4x3x5xf32>, %z: tensor<3xf32>, %w: tensor<4x5xf32>) -> tensor<4xf32> {
  %y = tkernel.kernel (%i : 4, %k : 3, %j : 5) reads(%a = %x : tensor<4x3x5xf32>, %b = %z : tensor<3xf32>, %c = %w : tensor<4x5xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[order [i, k, j]]>} {
    %0 = tkernel.load %a[%i, %k, %j] : tensor<4x3x5xf32>
    %1 = tkernel.reduce addf %0 over (%k, %j) : f32
    %2 = tkernel.load %b[%k] : tensor<3xf32>
    %3 = tkernel.reduce addf %2 over (%k) : f32
    %4 = tkernel.load %c[%i, %j] : tensor<4x5xf32>
    %5 = arith.mulf %4, %1 : f32
    %6 = tkernel.reduce addf %5 over (%j) : f32
    %7 = arith.addf %6, %3 : f32
    tkernel.store %7, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// Keys that are masked for all queries are in the tile, though skipped as a loop: their values are read.
func.func @skipped_in_tile(%q: tensor<3x5xf32>, %k: tensor<23x5xf32>, %v: tensor<23x4xf32>) -> tensor<3x4xf32> {
  %y = tkernel.kernel (%i : 3, %e : 4, %j : 23, %d : 5) reads(%a = %q : tensor<3x5xf32>, %b = %k : tensor<23x5xf32>, %c = %v : tensor<23x4xf32>) -> tensor<3x4xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 6, jj 4], grid [e], tile [ji], skip j, stage value as (ji, jj) at grid local]>} {
    %0 = tkernel.load %a[%i, %d] : tensor<3x5xf32>
    %1 = tkernel.load %b[%j, %d] : tensor<23x5xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %2 = tkernel.load %c[%j, %e] {name = "value"} : tensor<23x4xf32>
    %o = tkernel.contract %p, %2 over (%j) : f32
    tkernel.store %o, 0[%i, %e] : f32
  }
  return %y : tensor<3x4xf32>
}

// The last iteration over jo, emitted apart, is not skipped.
func.func @skipped_but_last(%q: tensor<3x5xf32>, %k: tensor<23x5xf32>, %v: tensor<23x4xf32>) -> tensor<3x4xf32> {
  %y = tkernel.kernel (%i : 3, %e : 4, %j : 23, %d : 5) reads(%a = %q : tensor<3x5xf32>, %b = %k : tensor<23x5xf32>, %c = %v : tensor<23x4xf32>) -> tensor<3x4xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 8], edge j peel, grid [e], tile [ji], skip j, stage value at grid local]>} {
    %0 = tkernel.load %a[%i, %d] : tensor<3x5xf32>
    %1 = tkernel.load %b[%j, %d] : tensor<23x5xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %2 = tkernel.load %c[%j, %e] {name = "value"} : tensor<23x4xf32>
    %o = tkernel.contract %p, %2 over (%j) : f32
    tkernel.store %o, 0[%i, %e] : f32
  }
  return %y : tensor<3x4xf32>
}

// What is outside of the tensor is minus infinity in the window as well, not zero.
func.func @skipped_border_of_maximum(%x: tensor<32x9x8xf32>) -> tensor<32x5x4xf32> {
  %y = tkernel.kernel (%n : 32, %p : 5, %q : 4, %r : 3, %s : 3) reads(%a = %x : tensor<32x9x8xf32>) -> tensor<32x5x4xf32>
      attributes {schedule = #tkernel.schedule<[grid [n], tile [p, q], skip s, stage v window at s local, unroll s]>} {
    %v = tkernel.load %a[%n, 2 * %p + %r - 1, 2 * %q + %s - 1] else 0xFF800000 {name = "v"} : tensor<32x9x8xf32>
    %m = tkernel.reduce maximumf %v over (%r, %s) : f32
    tkernel.store %m, 0[%n, %p, %q] : f32
  }
  return %y : tensor<32x5x4xf32>
}

// The scores have a loop over j apart from the maximum, as what lies between does not run along it.
func.func @online_apart(%q: tensor<5x6xf32>, %k: tensor<9x6xf32>, %z: tensor<3xf32>) -> tensor<5xf32> {
  %y = tkernel.kernel (%i : 5, %j : 9, %d : 6, %e : 3) reads(%a = %q : tensor<5x6xf32>, %b = %k : tensor<9x6xf32>, %c = %z : tensor<3xf32>) -> tensor<5xf32>
      attributes {schedule = #tkernel.schedule<[order [i, j, d, e], online j]>} {
    %0 = tkernel.load %a[%i, %d] : tensor<5x6xf32>
    %1 = tkernel.load %b[%j, %d] : tensor<9x6xf32>
    %2 = tkernel.contract %0, %1 over (%d) : f32
    %u = tkernel.load %c[%e] : tensor<3xf32>
    %t = tkernel.reduce addf %u over (%e) : f32
    %3 = tkernel.reduce maximumf %2 over (%j) : f32
    %4 = arith.subf %2, %3 : f32
    %5 = math.exp %4 : f32
    %6 = tkernel.reduce addf %5 over (%j) : f32
    %7 = arith.mulf %6, %t : f32
    tkernel.store %7, 0[%i] : f32
  }
  return %y : tensor<5xf32>
}

// What is stored needs the maximum of all sums, and the sums again: they are scanned anew in its loop.
func.func @scanned_again(%x: tensor<5x12x3xf32>) -> tensor<5x12xf32> {
  %y = tkernel.kernel (%i : 5, %j : 12, %k : 3) reads(%a = %x : tensor<5x12x3xf32>) -> tensor<5x12xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 5], order [i, jo, ji, k]]>} {
    %0 = tkernel.load %a[%i, %j, %k] : tensor<5x12x3xf32>
    %1 = tkernel.reduce addf %0 over (%k) : f32
    %2 = tkernel.scan addf %1 over %j : f32
    %3 = tkernel.reduce maximumf %2 over (%j) : f32
    %4 = arith.subf %2, %3 : f32
    tkernel.store %4, 0[%i, %j] : f32
  }
  return %y : tensor<5x12xf32>
}

// Groups of a window's channels that slide along them begin at odd ones too: they are not interleaved.
func.func @window_of_sliding_groups(%x: tensor<10x18xbf16>, %w: tensor<8x8x3xbf16>) -> tensor<3x16x8xf32> {
  %y = tkernel.kernel (%p : 3, %q : 16, %f : 8, %c : 8, %s : 3) reads(%a = %x : tensor<10x18xbf16>, %b = %w : tensor<8x8x3xbf16>) -> tensor<3x16x8xf32>
      attributes {schedule = #tkernel.schedule<[split c = [co, cg 2], order [p, co, s], tile [cg, q, f], stage x window at grid local, contract cg dot]>} {
    %0 = tkernel.load %a[%c + %p, %q + %s] {name = "x"} : tensor<10x18xbf16>
    %1 = tkernel.load %b[%f, %c, %s] : tensor<8x8x3xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %s) : bf16, bf16 -> f32
    tkernel.store %2, 0[%p, %q, %f] : f32
  }
  return %y : tensor<3x16x8xf32>
}

// A value of an axis of which a team shares one point is known outside of the team's loop, but written inside.
func.func @kept_of_one_shared_point(%x: tensor<11x20xf32>) -> tensor<11x20xf32> {
  %y = tkernel.kernel (%i : 11, %j : 20) reads(%a = %x : tensor<11x20xf32>) -> tensor<11x20xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 11], split j = [jo, jt 4], order [jo, ii, io], tile [jt], team [io], stage v window at ii local, keep e local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<11x20xf32>
    %e = arith.addf %v, %v {name = "e"} : f32
    tkernel.store %e, 0[%i, %j] : f32
  }
  return %y : tensor<11x20xf32>
}

// The last dimension of a buffer is the loop that is shorter: tiles of it are filled as far as they are read.
func.func @skipped_last_dimension(%q: tensor<71x5xf32>, %k: tensor<70x5xf32>, %v: tensor<70x4xf32>) -> tensor<71x4xf32> {
  %y = tkernel.kernel (%i : 71, %e : 4, %j : 70, %d : 5) reads(%a = %q : tensor<71x5xf32>, %b = %k : tensor<70x5xf32>, %c = %v : tensor<70x4xf32>) -> tensor<71x4xf32>
      attributes {schedule = #tkernel.schedule<[order [i, j, d], tile [e], skip j, stage value as (e, j) at grid local]>} {
    %masked = arith.constant 0xFF800000 : f32
    %0 = tkernel.load %a[%i, %d] : tensor<71x5xf32>
    %1 = tkernel.load %b[%j, %d] : tensor<70x5xf32>
    %2 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %3 = arith.select %seen, %2, %masked : f32
    %4 = tkernel.reduce maximumf %3 over (%j) : f32
    %5 = arith.subf %3, %4 : f32
    %6 = math.exp %5 : f32
    %7 = tkernel.reduce addf %6 over (%j) : f32
    %8 = tkernel.load %c[%j, %e] {name = "value"} : tensor<70x4xf32>
    %9 = tkernel.contract %6, %8 over (%j) : f32
    %10 = arith.divf %9, %7 : f32
    tkernel.store %10, 0[%i, %e] : f32
  }
  return %y : tensor<71x4xf32>
}

// Points that are masked are left out of a buffer as far as all rows of a tile have them masked, not its first alone.
func.func @skipped_inside_of_tile(%x: tensor<5x40x40xf32>) -> tensor<5x40xf32> {
  %y = tkernel.kernel (%d : 5, %i : 40, %j : 40) reads(%a = %x : tensor<5x40x40xf32>) -> tensor<5x40xf32>
      attributes {schedule = #tkernel.schedule<[order [d, i, j], skip j, stage v as (i, j, d) at grid local]>} {
    %zero = arith.constant 0.0 : f32
    %0 = tkernel.load %a[%d, %j, %i] : tensor<5x40x40xf32>
    %seen = arith.cmpi sge, %i, %j : index
    %1 = arith.select %seen, %0, %zero {name = "v"} : f32
    %2 = tkernel.reduce addf %1 over (%j) : f32
    tkernel.store %2, 0[%d, %i] : f32
  }
  return %y : tensor<5x40xf32>
}

// What is kept for a sum whose loops are inside of one that it does not vary along is filled before that, of both parts of
// a peeled axis around it, of rows that end in a part of a tile.
func.func @kept_before_the_loop(%q: tensor<13x5xf32>, %k: tensor<11x5xf32>, %v: tensor<11x6xf32>, %m: tensor<13x11xf32>) -> tensor<13x6xf32> {
  %y = tkernel.kernel (%i : 13, %j : 11, %d : 5, %e : 6) reads(%a = %q : tensor<13x5xf32>, %b = %k : tensor<11x5xf32>, %c = %v : tensor<11x6xf32>, %s = %m : tensor<13x11xf32>) -> tensor<13x6xf32>
      attributes {schedule = #tkernel.schedule<[split i = [i_o, i_m 2, i_l 4], split j = [j_o, j_r 4], split e = [e_o, e_r 2], order [i_o, i_m, e_o, j_o, j_r, d], tile [e_r, i_l], stage score as (i_o, i_m, j_o, j_r, i_l) at grid local, keep power local, keep weight local, edge i peel, edge j peel]>} {
    %0 = tkernel.load %a[%i, %d] : tensor<13x5xf32>
    %1 = tkernel.load %b[%j, %d] : tensor<11x5xf32>
    %2 = tkernel.contract %0, %1 over (%d) {name = "score"} : f32
    %3 = tkernel.reduce maximumf %2 over (%j) : f32
    %4 = arith.subf %2, %3 : f32
    %5 = math.exp %4 {name = "power"} : f32
    %6 = tkernel.reduce addf %5 over (%j) : f32
    %7 = arith.divf %5, %6 : f32
    %8 = tkernel.load %s[%i, %j] : tensor<13x11xf32>
    %9 = arith.mulf %7, %8 {name = "weight"} : f32
    %10 = tkernel.load %c[%j, %e] : tensor<11x6xf32>
    %11 = tkernel.contract %9, %10 over (%j) : f32
    tkernel.store %11, 0[%i, %e] : f32
  }
  return %y : tensor<13x6xf32>
}

// Rows of a norm that each block of columns would compute again; two products read them.
func.func @norm_before_columns(%x: tensor<7x9xf32>, %w: tensor<9x10xf32>) -> tensor<7x10xf32> {
  %y = tkernel.kernel (%i : 7, %k : 9, %j : 10) reads(%a = %x : tensor<7x9xf32>, %b = %w : tensor<9x10xf32>) -> tensor<7x10xf32>
      attributes {schedule = #tkernel.schedule<[split i = [i_o, i_r 3], split j = [j_o, j_l 4], split k = [k_o, k_i 2], grid [i_o], order [j_o, k_o, k_i], tile [i_r, j_l], keep unit local, edge i peel, edge j peel]>} {
    %one = arith.constant 1.0 : f32
    %0 = tkernel.load %a[%i, %k] : tensor<7x9xf32>
    %1 = arith.mulf %0, %0 : f32
    %2 = tkernel.reduce addf %1 over (%k) : f32
    %3 = arith.addf %2, %one : f32
    %4 = math.rsqrt %3 : f32
    %5 = arith.mulf %0, %4 {name = "unit"} : f32
    %6 = tkernel.load %b[%k, %j] : tensor<9x10xf32>
    %7 = tkernel.contract %5, %6 over (%k) : f32
    tkernel.store %7, 0[%i, %j] : f32
  }
  return %y : tensor<7x10xf32>
}

// Queries that are divided by their root of squares are kept before the scores are filled, of both parts of a peeled axis.
func.func @kept_before_a_stage(%q: tensor<13x5xf32>, %k: tensor<11x5xf32>, %v: tensor<11x6xf32>) -> tensor<13x6xf32> {
  %y = tkernel.kernel (%i : 13, %j : 11, %d : 5, %e : 6) reads(%a = %q : tensor<13x5xf32>, %b = %k : tensor<11x5xf32>, %c = %v : tensor<11x6xf32>) -> tensor<13x6xf32>
      attributes {schedule = #tkernel.schedule<[split i = [i_o, i_l 4], split j = [j_o, j_r 4], split e = [e_o, e_r 2], grid [i_o], order [e_o, j_o, j_r, d], tile [e_r, i_l], stage row as (d, i_l) at grid local, keep unit local, stage score as (j_o, j_r, i_l) at grid local, keep power local, edge i peel, edge j peel]>} {
    %one = arith.constant 1.0 : f32
    %0 = tkernel.load %a[%i, %d] {name = "row"} : tensor<13x5xf32>
    %square = arith.mulf %0, %0 : f32
    %squares = tkernel.reduce addf %square over (%d) : f32
    %more = arith.addf %squares, %one : f32
    %share = math.rsqrt %more : f32
    %unit = arith.mulf %0, %share {name = "unit"} : f32
    %1 = tkernel.load %b[%j, %d] : tensor<11x5xf32>
    %2 = tkernel.contract %unit, %1 over (%d) {name = "score"} : f32
    %3 = tkernel.reduce maximumf %2 over (%j) : f32
    %4 = arith.subf %2, %3 : f32
    %5 = math.exp %4 {name = "power"} : f32
    %6 = tkernel.reduce addf %5 over (%j) : f32
    %10 = tkernel.load %c[%j, %e] : tensor<11x6xf32>
    %11 = tkernel.contract %5, %10 over (%j) : f32
    %12 = arith.divf %11, %6 : f32
    tkernel.store %12, 0[%i, %e] : f32
  }
  return %y : tensor<13x6xf32>
}
