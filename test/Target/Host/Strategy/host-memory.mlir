// RUN: tensor-opt %s --kernel-schedule --split-input-file | FileCheck %s
// RUN: tensor-opt %s --host-print-prices --split-input-file -o /dev/null | FileCheck %s --check-prefix=PROPOSED

// Elementwise: one run of axes as far as all accesses go on, here without the channels of the bias;
// a result beyond the caches is streamed.
// CHECK-LABEL: @bias
// CHECK: #tkernel.schedule<[merge hw = [h, w], split hw = [hw_o, hw_i 64], grid [n, c], order [hw_o], tile [hw_i], stream 0, edge hw peel]>
func.func @bias(%x: tensor<64x256x28x28xf32>, %v: tensor<256xf32>) -> tensor<64x256x28x28xf32> {
  %y = tkernel.kernel (%n : 64, %c : 256, %h : 28, %w : 28) reads(%a = %x : tensor<64x256x28x28xf32>, %b = %v : tensor<256xf32>) -> tensor<64x256x28x28xf32> {
    %0 = tkernel.load %a[%n, %c, %h, %w] : tensor<64x256x28x28xf32>
    %1 = tkernel.load %b[%c] : tensor<256xf32>
    %2 = arith.addf %0, %1 : f32
    tkernel.store %2, 0[%n, %c, %h, %w] : f32
  }
  return %y : tensor<64x256x28x28xf32>
}

// -----

// What fits the caches stays there. All axes are one run.
// CHECK-LABEL: @small
// CHECK: #tkernel.schedule<[merge nhw = [n, h, w], split nhw = [nhw_o, nhw_m 16, nhw_i 64], grid [nhw_o], order [nhw_m], tile [nhw_i]]>
func.func @small(%x: tensor<64x32x32xf32>) -> tensor<64x32x32xf32> {
  %y = tkernel.kernel (%n : 64, %h : 32, %w : 32) reads(%a = %x : tensor<64x32x32xf32>) -> tensor<64x32x32xf32> {
    %0 = tkernel.load %a[%n, %h, %w] : tensor<64x32x32xf32>
    %1 = math.absf %0 : f32
    tkernel.store %1, 0[%n, %h, %w] : f32
  }
  return %y : tensor<64x32x32xf32>
}

// -----

// Axes with padding between them are not one run.
// CHECK-LABEL: @padded
// CHECK-NOT: merge
// CHECK: order [h], tile [w]
func.func @padded(%x: tensor<30x32xf32>) -> tensor<32x32xf32> {
  %y = tkernel.kernel (%h : 32, %w : 32) reads(%a = %x : tensor<30x32xf32>) -> tensor<32x32xf32> {
    %0 = tkernel.load %a[%h - 1, %w] else 0.0 : tensor<30x32xf32>
    tkernel.store %0, 0[%h, %w] : f32
  }
  return %y : tensor<32x32xf32>
}

// -----

// A long row is swept three times; exponentials are kept, not computed again. Two rows at once, because
// a sweep waits for the lanes that the one before it combines: more would not fit the nearest cache.
// CHECK-LABEL: @softmax
// CHECK: #tkernel.schedule<[split i = [i_o, i_i 2], split j = [j_o, j_i 64], grid [i_o], order [j_o], tile [i_i, j_i], keep kept local, edge j peel]>
// CHECK: math.exp %{{.*}} {name = "kept"}
func.func @softmax(%x: tensor<100x1000xf32>) -> tensor<100x1000xf32> {
  %y = tkernel.kernel (%i : 100, %j : 1000) reads(%a = %x : tensor<100x1000xf32>) -> tensor<100x1000xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<100x1000xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<100x1000xf32>
}

// -----

// An accumulator for each of four rows, where a part of several vectors would leave much of the last
// one empty.
// CHECK-LABEL: @variance
// CHECK: #tkernel.schedule<[split i = [i_o, i_i 4], split j = [j_o, j_i 16], order [i_o, j_o], tile [i_i, j_i], edge j peel]>
func.func @variance(%x: tensor<100x77xf32>) -> tensor<100x77xf32> {
  %y = tkernel.kernel (%i : 100, %j : 77) reads(%a = %x : tensor<100x77xf32>) -> tensor<100x77xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<100x77xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %d = arith.subf %v, %s : f32
    tkernel.store %d, 0[%i, %j] : f32
  }
  return %y : tensor<100x77xf32>
}

// -----

// Long rows that are read once wait for nothing; short ones have too few sums of their own. Few rows are
// programs of their own.
// CHECK-LABEL: @sums
// CHECK: #tkernel.schedule<[split j = [j_o, j_i 64], grid [i], order [j_o], tile [j_i], edge j peel]>
// CHECK: #tkernel.schedule<[split i = [i_o, i_i 4], split j = [j_o, j_i 16], order [i_o, j_o], tile [i_i, j_i], edge i peel, edge j peel]>
// CHECK: #tkernel.schedule<[split j = [j_o, j_i 16], order [i, j_o], tile [j_i], edge j peel]>
func.func @sums(%x: tensor<100x1000xf32>, %y: tensor<101x50xf32>, %z: tensor<9x50xf32>)
    -> (tensor<100xf32>, tensor<101xf32>, tensor<9xf32>) {
  %0 = tkernel.kernel (%i : 100, %j : 1000) reads(%a = %x : tensor<100x1000xf32>) -> tensor<100xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<100x1000xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  %1 = tkernel.kernel (%i : 101, %j : 50) reads(%a = %y : tensor<101x50xf32>) -> tensor<101xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<101x50xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  %2 = tkernel.kernel (%i : 9, %j : 50) reads(%a = %z : tensor<9x50xf32>) -> tensor<9xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<9x50xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %0, %1, %2 : tensor<100xf32>, tensor<101xf32>, tensor<9xf32>
}

// -----

// What memory bounds may be fetched a page ahead. Rows that a cache keeps are read one by one, not several in turn.
// CHECK-LABEL: @fetched
// PROPOSED-LABEL: @fetched
// PROPOSED: #tkernel.schedule<[split j = [j_o, j_i 64], grid [i], order [j_o], tile [j_i], prefetch fetched 1024]>
// CHECK-COUNT-2: #tkernel.schedule<[split j = [j_o, j_i 64], grid [i], order [j_o], tile [j_i]]>
func.func @fetched(%x: tensor<1000x4096xf32>, %y: tensor<1000x512xf32>) -> (tensor<1000xf32>, tensor<1000x512xf32>) {
  %0 = tkernel.kernel (%i : 1000, %j : 4096) reads(%a = %x : tensor<1000x4096xf32>) -> tensor<1000xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<1000x4096xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  %1 = tkernel.kernel (%i : 1000, %j : 512) reads(%a = %y : tensor<1000x512xf32>) -> tensor<1000x512xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<1000x512xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %d = arith.subf %v, %s : f32
    tkernel.store %d, 0[%i, %j] : f32
  }
  return %0, %1 : tensor<1000xf32>, tensor<1000x512xf32>
}

// -----

// Rows that go through memory are swept one by one, in narrow parts, fetched a page ahead: those of the
// caches' size stay there, what is larger goes past them. Not where functions take longer than memory,
// nor short rows, nor rows that lie apart.
// CHECK-LABEL: @norms
// PROPOSED-LABEL: @norms
// PROPOSED: #tkernel.schedule<[split j = [j_o, j_i 32], grid [i], order [j_o], tile [j_i], prefetch fetched 1024]>
// CHECK: #tkernel.schedule<[split j = [j_o, j_i 32], grid [i], order [j_o], tile [j_i], prefetch fetched 1024]>
// CHECK: #tkernel.schedule<[split j = [j_o, j_i 32], grid [i], order [j_o], tile [j_i], stream 0, prefetch fetched 1024]>
// CHECK-COUNT-2: #tkernel.schedule<[split j = [j_o, j_i 64], grid [i], order [j_o], tile [j_i]]>
// CHECK: #tkernel.schedule<[split i = [i_o, i_i 2], split j = [j_o, j_i 64], grid [i_o], order [j_o], tile [i_i, j_i], keep kept local, stream 0, prefetch fetched]>
// CHECK: #tkernel.schedule<[{{.*}}, tile [i_i, j_i], stream 0, prefetch fetched]>
func.func @norms(%a: tensor<4096x1024xf32>, %b: tensor<8192x1024xf32>, %c: tensor<2048x1024xf32>, %d: tensor<32768x128xf32>, %f: tensor<64x64x1024xf32>)
    -> (tensor<4096x1024xf32>, tensor<8192x1024xf32>, tensor<2048x1024xf32>, tensor<32768x128xf32>, tensor<4096x1024xf32>, tensor<64x64x1024xf32>) {
  %0 = tkernel.kernel (%i : 4096, %j : 1024) reads(%x = %a : tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
    %v = tkernel.load %x[%i, %j] : tensor<4096x1024xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %n = arith.mulf %v, %s : f32
    tkernel.store %n, 0[%i, %j] : f32
  }
  %1 = tkernel.kernel (%i : 8192, %j : 1024) reads(%x = %b : tensor<8192x1024xf32>) -> tensor<8192x1024xf32> {
    %v = tkernel.load %x[%i, %j] : tensor<8192x1024xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %n = arith.mulf %v, %s : f32
    tkernel.store %n, 0[%i, %j] : f32
  }
  %2 = tkernel.kernel (%i : 2048, %j : 1024) reads(%x = %c : tensor<2048x1024xf32>) -> tensor<2048x1024xf32> {
    %v = tkernel.load %x[%i, %j] : tensor<2048x1024xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %n = arith.mulf %v, %s : f32
    tkernel.store %n, 0[%i, %j] : f32
  }
  %3 = tkernel.kernel (%i : 32768, %j : 128) reads(%x = %d : tensor<32768x128xf32>) -> tensor<32768x128xf32> {
    %v = tkernel.load %x[%i, %j] : tensor<32768x128xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %n = arith.mulf %v, %s : f32
    tkernel.store %n, 0[%i, %j] : f32
  }
  %4 = tkernel.kernel (%i : 4096, %j : 1024) reads(%x = %a : tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
    %v = tkernel.load %x[%i, %j] : tensor<4096x1024xf32>
    %e = math.exp %v : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %n = arith.divf %e, %s : f32
    tkernel.store %n, 0[%i, %j] : f32
  }
  // Rows that do not lie one behind the other.
  %5 = tkernel.kernel (%h : 64, %i : 64, %j : 1024) reads(%x = %f : tensor<64x64x1024xf32>) -> tensor<64x64x1024xf32> {
    %v = tkernel.load %x[%i, %h, %j] : tensor<64x64x1024xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %n = arith.mulf %v, %s : f32
    tkernel.store %n, 0[%h, %i, %j] : f32
  }
  return %0, %1, %2, %3, %4, %5 : tensor<4096x1024xf32>, tensor<8192x1024xf32>, tensor<2048x1024xf32>, tensor<32768x128xf32>, tensor<4096x1024xf32>, tensor<64x64x1024xf32>
}

// -----

// Results go past the caches where these do not hold what a kernel touches, of a table the rows it can read, or not
// beside as much again where memory is not read and written along one run.
// CHECK-LABEL: @past
// CHECK: #tkernel.schedule<[{{.*}}tile [i_i]]>
// CHECK: #tkernel.schedule<[{{.*}}tile [i_i], stream 0]>
// CHECK: #tkernel.schedule<[{{.*}}tile [j_i], stream 0]>
// CHECK: #tkernel.schedule<[{{.*}}, stream 0]>
// CHECK: #tkernel.schedule<[{{.*}}tile [i_i, j_i]]>
// CHECK: #tkernel.schedule<[{{.*}}tile [j_i]]>
func.func @past(%a: tensor<3600000xf32>, %b: tensor<4000000xf32>, %table: tensor<32000x768xf32>, %rows: tensor<8192xi64>, %few: tensor<4096xi64>, %c: tensor<1600x1600xf32>, %d: tensor<1376x1376xf32>)
    -> (tensor<3600000xf32>, tensor<4000000xf32>, tensor<8192x768xf32>, tensor<1600x1600xf32>, tensor<1376x1376xf32>, tensor<4096x768xf32>) {
  %0 = tkernel.kernel (%i : 3600000) reads(%x = %a : tensor<3600000xf32>) -> tensor<3600000xf32> {
    %v = tkernel.load %x[%i] : tensor<3600000xf32>
    %n = arith.negf %v : f32
    tkernel.store %n, 0[%i] : f32
  }
  %1 = tkernel.kernel (%i : 4000000) reads(%x = %b : tensor<4000000xf32>) -> tensor<4000000xf32> {
    %v = tkernel.load %x[%i] : tensor<4000000xf32>
    %n = arith.negf %v : f32
    tkernel.store %n, 0[%i] : f32
  }
  %2 = tkernel.kernel (%i : 8192, %j : 768) reads(%t = %table : tensor<32000x768xf32>, %r = %rows : tensor<8192xi64>) -> tensor<8192x768xf32> {
    %at = tkernel.load %r[%i] : tensor<8192xi64>
    %row = arith.index_cast %at : i64 to index
    %v = tkernel.load %t[%row, %j] : tensor<32000x768xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  %3 = tkernel.kernel (%i : 1600, %j : 1600) reads(%x = %c : tensor<1600x1600xf32>) -> tensor<1600x1600xf32> {
    %v = tkernel.load %x[%j, %i] : tensor<1600x1600xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  %4 = tkernel.kernel (%i : 1376, %j : 1376) reads(%x = %d : tensor<1376x1376xf32>) -> tensor<1376x1376xf32> {
    %v = tkernel.load %x[%j, %i] : tensor<1376x1376xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  %5 = tkernel.kernel (%i : 4096, %j : 768) reads(%t = %table : tensor<32000x768xf32>, %r = %few : tensor<4096xi64>) -> tensor<4096x768xf32> {
    %at = tkernel.load %r[%i] : tensor<4096xi64>
    %row = arith.index_cast %at : i64 to index
    %v = tkernel.load %t[%row, %j] : tensor<32000x768xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %0, %1, %2, %3, %4, %5 : tensor<3600000xf32>, tensor<4000000xf32>, tensor<8192x768xf32>, tensor<1600x1600xf32>, tensor<1376x1376xf32>, tensor<4096x768xf32>
}

// -----

// Over rows of memory: a running value in each lane.
// CHECK-LABEL: @cumsum
// CHECK: #tkernel.schedule<[split j = [j_o, j_i 64], grid [i], order [j_o], tile [j_i]]>
// CHECK: #tkernel.schedule<[split j = [j_o, j_i 128], grid [j_o], order [i], tile [j_i]]>
func.func @cumsum(%x: tensor<64x1024xf32>) -> (tensor<64x1024xf32>, tensor<64x1024xf32>) {
  %y = tkernel.kernel (%i : 64, %j : 1024) reads(%a = %x : tensor<64x1024xf32>) -> tensor<64x1024xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<64x1024xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  %z = tkernel.kernel (%i : 64, %j : 1024) reads(%a = %x : tensor<64x1024xf32>) -> tensor<64x1024xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<64x1024xf32>
    %s = tkernel.scan addf %v over %i : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y, %z : tensor<64x1024xf32>, tensor<64x1024xf32>
}

// -----

// Along columns of more than a cache: a part of the rows for each program (parts.mlir).
// CHECK-LABEL: @column_sums
// CHECK: #tkernel.schedule<[rfactor sum over i = [i_p, i_i 512]]>
// CHECK: tkernel.reduce addf %{{.*}} over (%i) {name = "sum"}
func.func @column_sums(%x: tensor<4096x4096xf32>) -> tensor<4096xf32> {
  %y = tkernel.kernel (%i : 4096, %j : 4096) reads(%a = %x : tensor<4096x4096xf32>) -> tensor<4096xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<4096x4096xf32>
    %s = tkernel.reduce addf %v over (%i) : f32
    tkernel.store %s, 0[%j] : f32
  }
  return %y : tensor<4096xf32>
}

// -----

// A transposition runs in blocks of registers; batches are programs.
// CHECK-LABEL: @transposition
// CHECK: #tkernel.schedule<[split i = [i_o, i_i 16], split j = [j_o, j_i 16], grid [b, i_o], order [j_o], tile [i_i, j_i], edge i peel]>
func.func @transposition(%x: tensor<3x64x100xf32>) -> tensor<3x100x64xf32> {
  %y = tkernel.kernel (%b : 3, %i : 100, %j : 64) reads(%a = %x : tensor<3x64x100xf32>) -> tensor<3x100x64xf32> {
    %v = tkernel.load %a[%b, %j, %i] : tensor<3x64x100xf32>
    tkernel.store %v, 0[%b, %i, %j] : f32
  }
  return %y : tensor<3x100x64xf32>
}

// -----

// Three channels that lie apart go beside each other: a vector of each, stored together.
// CHECK-LABEL: @channels_last
// CHECK: #tkernel.schedule<[split p = [p_o, p_m 16, p_i 16], grid [b, p_o], order [p_m], tile [c, p_i]]>
func.func @channels_last(%x: tensor<2x3x8192xf32>) -> tensor<2x8192x3xf32> {
  %y = tkernel.kernel (%b : 2, %p : 8192, %c : 3) reads(%a = %x : tensor<2x3x8192xf32>) -> tensor<2x8192x3xf32> {
    %v = tkernel.load %a[%b, %c, %p] : tensor<2x3x8192xf32>
    tkernel.store %v, 0[%b, %p, %c] : f32
  }
  return %y : tensor<2x8192x3xf32>
}

// -----

// Not where another axis is between the channels and the points.
// CHECK-LABEL: @channels_apart
// CHECK-NOT: tile [c, p_i]
// CHECK: return
func.func @channels_apart(%x: tensor<3x2x1024xf32>) -> tensor<1024x2x3xf32> {
  %y = tkernel.kernel (%p : 1024, %b : 2, %c : 3) reads(%a = %x : tensor<3x2x1024xf32>) -> tensor<1024x2x3xf32> {
    %v = tkernel.load %a[%c, %b, %p] : tensor<3x2x1024xf32>
    tkernel.store %v, 0[%p, %b, %c] : f32
  }
  return %y : tensor<1024x2x3xf32>
}

// -----

// A block holds whole rows, so that padding beside them is known at each tap, and all of the image: what unrolls to a few
// hundred steps.
// CHECK-LABEL: @depthwise
// CHECK: #tkernel.schedule<[grid [c], order [r, s], tile [p, q], unroll r, unroll s]>
func.func @depthwise(%x: tensor<96x14x14xf32>, %w: tensor<96x5x5xf32>) -> tensor<96x14x14xf32> {
  %y = tkernel.kernel (%c : 96, %p : 14, %q : 14, %r : 5, %s : 5) reads(%a = %x : tensor<96x14x14xf32>, %b = %w : tensor<96x5x5xf32>) -> tensor<96x14x14xf32> {
    %0 = tkernel.load %a[%c, %p + %r - 2, %q + %s - 2] else 0.0 : tensor<96x14x14xf32>
    %1 = tkernel.load %b[%c, %r, %s] : tensor<96x5x5xf32>
    %2 = tkernel.contract %0, %1 over(%r, %s) : f32
    tkernel.store %2, 0[%c, %p, %q] : f32
  }
  return %y : tensor<96x14x14xf32>
}

// -----

// Columns of a narrow matrix: all of them from the lines that the nearest cache holds.
// CHECK-LABEL: @narrow
// CHECK: #tkernel.schedule<[split i = [i_o, i_m 16, i_i 16], grid [i_o], order [i_m, j], tile [i_i], edge i peel]>
func.func @narrow(%x: tensor<10003x3xf32>) -> tensor<3x10003xf32> {
  %y = tkernel.kernel (%j : 3, %i : 10003) reads(%a = %x : tensor<10003x3xf32>) -> tensor<3x10003xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<10003x3xf32>
    tkernel.store %v, 0[%j, %i] : f32
  }
  return %y : tensor<3x10003xf32>
}
