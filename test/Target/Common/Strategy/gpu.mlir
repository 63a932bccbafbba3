// RUN: tensor-opt %s --kernel-schedule=machine=gpu --split-input-file | FileCheck %s
// RUN: tensor-opt %s --split-input-file --interpret="integers=true digits=5" -o /dev/null > %t.kernel
// RUN: tensor-opt %s --split-input-file --kernel-schedule=machine=gpu --kernel-to-launch --kernel-to-tile --canonicalize --cse --tile-prove-bounds --interpret="integers=true digits=5" -o /dev/null | diff %t.kernel -

// Elementwise: one merged axis.
// CHECK: schedule = #tkernel.schedule<[merge i_j = [i, j], split i_j = [i_j_o, i_j_i 128], grid [i_j_o], tile [i_j_i], warps 1, edge i_j mask]>
func.func @main(%x: tensor<7x101xf32>, %b: tensor<101xf32>) -> tensor<7x101xf32> {
  %y = tkernel.kernel (%i : 7, %j : 101) reads(%a = %x : tensor<7x101xf32>, %c = %b : tensor<101xf32>) -> tensor<7x101xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<7x101xf32>
    %1 = tkernel.load %c[%j] : tensor<101xf32>
    %2 = arith.addf %0, %1 : f32
    tkernel.store %2, 0[%i, %j] : f32
  }
  return %y : tensor<7x101xf32>
}

// -----

// A softmax as one kernel: the whole row in one tile, several rows per program.
// CHECK: schedule = #tkernel.schedule<[split i = [i_o, i_i 2], split j = [j_o, j_i 128], grid [i_o], order [j_o], tile [i_i, j_i], warps 1, edge i mask, edge j mask]>
func.func @main(%x: tensor<131x100xf32>) -> tensor<131x100xf32> {
  %y = tkernel.kernel (%i : 131, %j : 100) reads(%a = %x : tensor<131x100xf32>) -> tensor<131x100xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<131x100xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<131x100xf32>
}

// -----

// A row that does not fit: stages in loops.
// CHECK: schedule = #tkernel.schedule<[split j = [j_o, j_i 8192], grid [i], order [j_o], tile [j_i], warps 8, edge j mask]>
func.func @main(%x: tensor<2x9001xf64>) -> tensor<2x9001xf64> {
  %y = tkernel.kernel (%i : 2, %j : 9001) reads(%a = %x : tensor<2x9001xf64>) -> tensor<2x9001xf64> {
    %v = tkernel.load %a[%i, %j] : tensor<2x9001xf64>
    %m = tkernel.reduce maximumf %v over (%j) : f64
    %d = arith.subf %v, %m : f64
    tkernel.store %d, 0[%i, %j] : f64
  }
  return %y : tensor<2x9001xf64>
}

// -----

// Normalisation across memory: a warp of columns, threads that share each column.
// CHECK: schedule = #tkernel.schedule<[split i = [i_o, i_i 64], split j = [j_o, j_i 32], grid [j_o], order [i_o], tile [i_i, j_i], warps 8, edge i mask, edge j mask]>
func.func @main(%x: tensor<50x70xf32>) -> tensor<50x70xf32> {
  %y = tkernel.kernel (%i : 50, %j : 70) reads(%a = %x : tensor<50x70xf32>) -> tensor<50x70xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<50x70xf32>
    %m = tkernel.reduce addf %v over (%i) : f32
    %d = arith.subf %v, %m : f32
    tkernel.store %d, 0[%i, %j] : f32
  }
  return %y : tensor<50x70xf32>
}

// -----

// Everything into one number.
// CHECK: schedule = #tkernel.schedule<[merge i_j_k = [i, j, k], split i_j_k = [i_j_k_o, i_j_k_i 2048], order [i_j_k_o], tile [i_j_k_i], warps 8, edge i_j_k mask]>
func.func @main(%x: tensor<13x17x19xi64>) -> tensor<i64> {
  %y = tkernel.kernel (%i : 13, %j : 17, %k : 19) reads(%a = %x : tensor<13x17x19xi64>) -> tensor<i64> {
    %v = tkernel.load %a[%i, %j, %k] : tensor<13x17x19xi64>
    %m = tkernel.reduce addi %v over (%i, %j, %k) : i64
    tkernel.store %m, 0[] : i64
  }
  return %y : tensor<i64>
}

// -----

// A region that combines two values.
// CHECK: schedule = #tkernel.schedule<[split i = [i_o, i_i 2], split j = [j_o, j_i 64], grid [i_o], order [j_o], tile [i_i, j_i], warps 1, edge j mask]>
func.func @main(%x: tensor<150x40xf32>) -> tensor<150xi64> {
  %y = tkernel.kernel (%i : 150, %j : 40) reads(%a = %x : tensor<150x40xf32>) -> tensor<150xi64> {
    %v = tkernel.load %a[%i, %j] : tensor<150x40xf32>
    %p = arith.index_cast %j : index to i64
    %m:2 = tkernel.reduce %v, %p over (%j) identities [0xFF800000 : f32, 9223372036854775807 : i64] : f32, i64 {
    ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
      %g = arith.cmpf ogt, %v0, %a0 : f32
      %e = arith.cmpf oeq, %v0, %a0 : f32
      %l = arith.cmpi slt, %v1, %a1 : i64
      %b = arith.andi %e, %l : i1
      %c = arith.ori %g, %b : i1
      %r0 = arith.select %c, %v0, %a0 : f32
      %r1 = arith.select %c, %v1, %a1 : i64
      tkernel.yield %r0, %r1 : f32, i64
    }
    tkernel.store %m#1, 0[%i] : i64
  }
  return %y : tensor<150xi64>
}

// -----

// A window over an image: a thread per result, the window in loops.
// CHECK: schedule = #tkernel.schedule<[merge c_p_q = [c, p, q], split c_p_q = [c_p_q_o, c_p_q_i 128], grid [c_p_q_o], order [r, s], tile [c_p_q_i], warps 4, edge c_p_q mask]>
func.func @main(%x: tensor<5x15x15xi8>) -> tensor<5x8x8xi8> {
  %y = tkernel.kernel (%c : 5, %p : 8, %q : 8, %r : 3, %s : 3) reads(%a = %x : tensor<5x15x15xi8>) -> tensor<5x8x8xi8> {
    %v = tkernel.load %a[%c, %p * 2 + %r - 1, %q * 2 + %s - 1] else -128 : tensor<5x15x15xi8>
    %m = tkernel.reduce maxs %v over (%r, %s) : i8
    tkernel.store %m, 0[%c, %p, %q] : i8
  }
  return %y : tensor<5x8x8xi8>
}

// -----

// A contraction: blocks of both operands in local memory.
// CHECK: schedule = #tkernel.schedule<[split m = [m_o, m_i 16], split n = [n_o, n_i 16], split k = [k_o, k_i 16], grid [m_o, n_o], order [k_o, k_i], tile [m_i, n_i], unroll k_i, warps 1, stage lhs at k_o local, stage rhs at k_o local, edge m mask, edge n mask, edge k pad]>
// CHECK: tkernel.load {{.*}} {name = "lhs"}
// CHECK: tkernel.load {{.*}} {name = "rhs"}
func.func @main(%x: tensor<37x41xf32>, %w: tensor<41x53xf32>, %b: tensor<53xf32>) -> tensor<37x53xf32> {
  %y = tkernel.kernel (%m : 37, %n : 53, %k : 41) reads(%a = %x : tensor<37x41xf32>, %c = %w : tensor<41x53xf32>, %d = %b : tensor<53xf32>) -> tensor<37x53xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<37x41xf32>
    %1 = tkernel.load %c[%k, %n] : tensor<41x53xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    %3 = tkernel.load %d[%n] : tensor<53xf32>
    %4 = arith.addf %2, %3 : f32
    tkernel.store %4, 0[%m, %n] : f32
  }
  return %y : tensor<37x53xf32>
}

// -----

// A convolution is one too: pixels, channels, and what is summed, each as one axis. One operand is computed.
// CHECK: schedule = #tkernel.schedule<[merge n_p_q = [n, p, q], merge c_r_s = [c, r, s], split o = [o_o, o_i 16], split n_p_q = [n_p_q_o, n_p_q_i 16], split c_r_s = [c_r_s_o, c_r_s_i 16], grid [o_o, n_p_q_o], order [c_r_s_o, c_r_s_i], tile [o_i, n_p_q_i], unroll c_r_s_i, warps 1, stage lhs at c_r_s_o local, stage rhs at c_r_s_o local, edge o mask, edge n_p_q mask, edge c_r_s pad]>
// CHECK: tkernel.load
// CHECK: arith.maximumf {{.*}} {name = "lhs"}
func.func @main(%x: tensor<2x3x9x9xf32>, %w: tensor<20x3x3x3xf32>) -> tensor<2x20x7x9xf32> {
  %y = tkernel.kernel (%n : 2, %o : 20, %p : 7, %q : 9, %c : 3, %r : 3, %s : 3) reads(%a = %x : tensor<2x3x9x9xf32>, %b = %w : tensor<20x3x3x3xf32>) -> tensor<2x20x7x9xf32> {
    %z = arith.constant 1.0 : f32
    %0 = tkernel.load %a[%n, %c, %p + %r, %q + %s - 1] : tensor<2x3x9x9xf32>
    %1 = arith.maximumf %0, %z : f32
    %2 = tkernel.load %b[%o, %c, %r, %s] : tensor<20x3x3x3xf32>
    %3 = tkernel.contract %1, %2 over (%c, %r, %s) : f32
    tkernel.store %3, 0[%n, %o, %p, %q] : f32
  }
  return %y : tensor<2x20x7x9xf32>
}

// -----

// One row only: threads along the reduced axis.
// CHECK: schedule = #tkernel.schedule<[split k = [k_o, k_i 128], grid [n], order [k_o], tile [k_i], warps 1, edge k mask]>
func.func @main(%x: tensor<70xf32>, %w: tensor<30x70xf32>) -> tensor<30xf32> {
  %y = tkernel.kernel (%n : 30, %k : 70) reads(%a = %x : tensor<70xf32>, %b = %w : tensor<30x70xf32>) -> tensor<30xf32> {
    %0 = tkernel.load %a[%k] : tensor<70xf32>
    %1 = tkernel.load %b[%n, %k] : tensor<30x70xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%n] : f32
  }
  return %y : tensor<30xf32>
}

// -----

// A scan across memory: a thread per row.
// CHECK: schedule = #tkernel.schedule<[merge i_k = [i, k], split i_k = [i_k_o, i_k_i 64], grid [i_k_o], order [j], tile [i_k_i], warps 2, edge i_k mask]>
func.func @main(%x: tensor<6x20x7xf32>) -> tensor<6x20x7xf32> {
  %y = tkernel.kernel (%i : 6, %j : 20, %k : 7) reads(%a = %x : tensor<6x20x7xf32>) -> tensor<6x20x7xf32> {
    %v = tkernel.load %a[%i, %j, %k] : tensor<6x20x7xf32>
    %s = tkernel.scan addf %v over %j exclusive reverse : f32
    tkernel.store %s, 0[%i, %j, %k] : f32
  }
  return %y : tensor<6x20x7xf32>
}

// -----

// A scan along memory: threads side by side in a row, several rows of which are in a tile while they are short.
// CHECK: schedule = #tkernel.schedule<[split j = [j_o, j_i 2048], grid [i], order [j_o], tile [j_i], warps 8, edge j mask]>
func.func @main(%x: tensor<64x3000xf32>) -> tensor<64x3000xf32> {
  %y = tkernel.kernel (%i : 64, %j : 3000) reads(%a = %x : tensor<64x3000xf32>) -> tensor<64x3000xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<64x3000xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<64x3000xf32>
}

// -----

// CHECK: schedule = #tkernel.schedule<[split i = [i_o, i_i 8], split j = [j_o, j_i 64], grid [i_o], order [j_o], tile [i_i, j_i], warps 2, edge j mask]>
func.func @main(%x: tensor<4096x50xf32>) -> tensor<4096x50xf32> {
  %y = tkernel.kernel (%i : 4096, %j : 50) reads(%a = %x : tensor<4096x50xf32>) -> tensor<4096x50xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<4096x50xf32>
    %s = tkernel.scan addf %v over %j reverse : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4096x50xf32>
}

// -----

// A long scan across memory, of few columns: threads along both.
// CHECK: schedule = #tkernel.schedule<[split i = [i_o, i_i 64], split j = [j_o, j_i 16], grid [j_o], order [i_o], tile [i_i, j_i], warps 8, edge i mask, edge j mask]>
func.func @main(%x: tensor<2000x12xf32>) -> tensor<2000x12xf32> {
  %y = tkernel.kernel (%i : 2000, %j : 12) reads(%a = %x : tensor<2000x12xf32>) -> tensor<2000x12xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<2000x12xf32>
    %s = tkernel.scan addf %v over %i : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<2000x12xf32>
}

// -----

// Indices from memory.
// CHECK: schedule = #tkernel.schedule<[merge i_j = [i, j], split i_j = [i_j_o, i_j_i 128], grid [i_j_o], tile [i_j_i], warps 1, edge i_j mask]>
func.func @main(%x: tensor<9x30xf32>, %t: tensor<5xi64>) -> tensor<5x30xf32> {
  %y = tkernel.kernel (%i : 5, %j : 30) reads(%a = %x : tensor<9x30xf32>, %b = %t : tensor<5xi64>) -> tensor<5x30xf32> {
    %0 = tkernel.load %b[%i] : tensor<5xi64>
    %1 = arith.index_cast %0 : i64 to index
    %2 = tkernel.load %a[%1, %j] : tensor<9x30xf32>
    tkernel.store %2, 0[%i, %j] : f32
  }
  return %y : tensor<5x30xf32>
}

// -----

// Two results of different axes: along j only loops, so that no two programs write one element.
// CHECK: schedule = #tkernel.schedule<[split i = [i_o, i_i 64], grid [i_o], order [j], tile [i_i], warps 1, edge i mask]>
func.func @main(%x: tensor<40x30xi1>) -> (tensor<40x30xi1>, tensor<40xi1>) {
  %y:2 = tkernel.kernel (%i : 40, %j : 30) reads(%a = %x : tensor<40x30xi1>) -> (tensor<40x30xi1>, tensor<40xi1>) {
    %0 = tkernel.load %a[%i, %j] : tensor<40x30xi1>
    tkernel.store %0, 0[%i, %j] : i1
    %1 = tkernel.load %a[%i, 3] : tensor<40x30xi1>
    tkernel.store %1, 1[%i] : i1
  }
  return %y#0, %y#1 : tensor<40x30xi1>, tensor<40xi1>
}

// -----

// Nothing to compute, and nothing to reduce.
// CHECK: schedule = #tkernel.schedule<[warps 1]>
// CHECK: schedule = #tkernel.schedule<[warps 1]>
// CHECK: schedule = #tkernel.schedule<[warps 1]>
func.func @main(%x: tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<3xf32>, tensor<f32>) {
  %y = tkernel.kernel (%i : 0, %j : 3) reads(%a = %x : tensor<0x3xf32>) -> tensor<0x3xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<0x3xf32>
    tkernel.store %0, 0[%i, %j] : f32
  }
  %z = tkernel.kernel (%i : 0, %j : 3) reads(%a = %x : tensor<0x3xf32>) -> tensor<3xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<0x3xf32>
    %1 = tkernel.reduce addf %0 over (%i) : f32
    tkernel.store %1, 0[%j] : f32
  }
  %w = tkernel.kernel () -> tensor<f32> {
    %0 = arith.constant 1.0 : f32
    tkernel.store %0, 0[] : f32
  }
  return %y, %z, %w : tensor<0x3xf32>, tensor<3xf32>, tensor<f32>
}

// -----

// Read along h and w, written along c: square tiles. The axes h and w merge without divisions.
// CHECK: schedule = #tkernel.schedule<[merge h_w = [h, w], split h_w = [h_w_o, h_w_i 32], split c = [c_o, c_i 32], grid [h_w_o, c_o, n], tile [h_w_i, c_i], warps 8, edge h_w mask, edge c mask]>
func.func @main(%x: tensor<2x50x9x8xf32>) -> tensor<2x9x8x50xf32> {
  %y = tkernel.kernel (%n : 2, %h : 9, %w : 8, %c : 50) reads(%a = %x : tensor<2x50x9x8xf32>) -> tensor<2x9x8x50xf32> {
    %0 = tkernel.load %a[%n, %c, %h, %w] : tensor<2x50x9x8xf32>
    tkernel.store %0, 0[%n, %h, %w, %c] : f32
  }
  return %y : tensor<2x9x8x50xf32>
}

// -----

// Attention: the last stage has results along an axis of its own, so that the row is whole and no stage runs again.
// CHECK: schedule = #tkernel.schedule<[split j = [j_o, j_i 128], grid [i], order [j_o, d, e], tile [j_i], warps 1, edge j mask]>
func.func @main(%q: tensor<6x5xf32>, %k: tensor<100x5xf32>, %v: tensor<100x7xf32>) -> tensor<6x7xf32> {
  %y = tkernel.kernel (%i : 6, %j : 100, %d : 5, %e : 7) reads(%a = %q : tensor<6x5xf32>, %b = %k : tensor<100x5xf32>, %c = %v : tensor<100x7xf32>) -> tensor<6x7xf32> {
    %0 = tkernel.load %a[%i, %d] : tensor<6x5xf32>
    %1 = tkernel.load %b[%j, %d] : tensor<100x5xf32>
    %s = tkernel.contract %0, %1 over (%d) : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %c[%j, %e] : tensor<100x7xf32>
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<6x7xf32>
}

// -----

// Queries enough: as many beside each other as the tile of whole rows holds.
// CHECK: schedule = #tkernel.schedule<[merge h_i = [h, i], split j = [j_o, j_i 512], split h_i = [h_i_o, h_i_i 16], grid [h_i_o], order [j_o, d, e], tile [j_i, h_i_i], warps 8, edge j mask]>
func.func @main(%q: tensor<2x520x1xf32>, %k: tensor<2x300x1xf32>, %v: tensor<2x300x2xf32>) -> tensor<2x520x2xf32> {
  %y = tkernel.kernel (%h : 2, %i : 520, %j : 300, %d : 1, %e : 2) reads(%a = %q : tensor<2x520x1xf32>, %b = %k : tensor<2x300x1xf32>, %c = %v : tensor<2x300x2xf32>) -> tensor<2x520x2xf32> {
    %0 = tkernel.load %a[%h, %i, %d] : tensor<2x520x1xf32>
    %1 = tkernel.load %b[%h, %j, %d] : tensor<2x300x1xf32>
    %s = tkernel.contract %0, %1 over (%d) : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %c[%h, %j, %e] : tensor<2x300x2xf32>
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%h, %i, %e] : f32
  }
  return %y : tensor<2x520x2xf32>
}
