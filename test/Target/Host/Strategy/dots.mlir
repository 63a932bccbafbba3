// Products of bf16 and of bytes take dot instructions where the CPU has them.
// RUN: tensor-opt %s --host-print-prices=traits=bf16Dot=true,int8Dot=true -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --host-print-prices -o /dev/null | FileCheck %s --check-prefix=PLAIN
// RUN: tensor-opt %s --host-print-prices=traits=bf16Dot=true,int8Dot=true,bf16Blocks=true,int8Blocks=true -o /dev/null | FileCheck %s --check-prefix=BLOCKS
// Four blocks of sums; rows are read where they are, and columns are panels.
// BLOCKS-LABEL: @bf16
// BLOCKS: split n = [n_o, {{.*}}n_i 32], split m = [m_o, m_i 32]
// BLOCKS-SAME: stage rhs as ({{.*}}k_o, n_i, k_i)
// PLAIN-NOT: contract {{.*}} dot
// RUN: tensor-opt %s --host-print-prices=traits=int16Dot=true -o /dev/null | FileCheck %s --check-prefix=PAIRS
// PAIRS-LABEL: @bf16
// PAIRS-NOT: contract {{.*}} dot
// PAIRS-LABEL: @bytes
// PAIRS: contract k_i dot

// Groups of two along k, panels of interleaved pairs; the last rows are a smaller tile.
// CHECK-LABEL: @bf16
// CHECK: split k = [k_o, k_i 2], split n = [n_o, n_m 2, n_i 32], split m = [m_o, m_i {{1[0-4]}}], grid [n_o], order [m_o, n_m, k_o], tile [k_i, m_i, n_i], stage rhs as (n_m, k_o, n_i, k_i) at grid local, contract k_i dot
func.func @bf16(%x: tensor<512x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<512x512xf32> {
  %y = tkernel.kernel (%m : 512, %n : 512, %k : 512) reads(%a = %x : tensor<512x512xbf16>, %b = %w : tensor<512x512xbf16>) -> tensor<512x512xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<512x512xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<512x512xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<512x512xf32>
}

// Rows of 4096 bytes collide in the first cache, which holds eight of them.
// CHECK-LABEL: @collides
// CHECK: split m = [m_o, m_i 8]
func.func @collides(%x: tensor<2048x2048xbf16>, %w: tensor<2048x2048xbf16>) -> tensor<2048x2048xf32> {
  %y = tkernel.kernel (%m : 2048, %n : 2048, %k : 2048) reads(%a = %x : tensor<2048x2048xbf16>, %b = %w : tensor<2048x2048xbf16>) -> tensor<2048x2048xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<2048x2048xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<2048x2048xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<2048x2048xf32>
}

// Few rows do not pay for a panel; what is left of 33 steps of k is a step of its own.
// CHECK-LABEL: @bytes
// CHECK: split k = [k_o, k_i 4]
// CHECK: contract k_i dot, edge k peel
func.func @bytes(%x: tensor<8x33xui8>, %w: tensor<33x64xi8>) -> tensor<8x64xi32> {
  %y = tkernel.kernel (%m : 8, %n : 64, %k : 33) reads(%a = %x : tensor<8x33xui8>, %b = %w : tensor<33x64xi8>) -> tensor<8x64xi32> {
    %0 = tkernel.load %a[%m, %k] : tensor<8x33xui8>
    %1 = tkernel.load %b[%k, %n] : tensor<33x64xi8>
    %2 = tkernel.contract %0, %1 over (%k) lhs_unsigned : i8, i8 -> i32
    tkernel.store %2, 0[%m, %n] : i32
  }
  return %y : tensor<8x64xi32>
}

// Rows that are contiguous along m, not k, are packed a tile at a time.
// CHECK-LABEL: @rows_across
// CHECK: stage rhs as (n_m, k_o, n_i, k_i) at grid local, stage lhs as (k_o, m_i, k_i) at m_{{[om]}} local, contract k_i dot
func.func @rows_across(%x: tensor<512x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<512x512xf32> {
  %y = tkernel.kernel (%m : 512, %n : 512, %k : 512) reads(%a = %x : tensor<512x512xbf16>, %b = %w : tensor<512x512xbf16>) -> tensor<512x512xf32> {
    %0 = tkernel.load %a[%k, %m] {name = "lhs"} : tensor<512x512xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<512x512xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<512x512xf32>
}

// Three columns are the rows of a product with the lanes along m; their groups are packed.
// CHECK-LABEL: @narrow
// CHECK: tile [k_i, n, m_i]{{.*}} stage rhs as (k_o, n, k_i) at grid local, contract k_i dot
func.func @narrow(%x: tensor<1009x1013xbf16>, %w: tensor<1013x3xbf16>) -> tensor<1009x3xf32> {
  %y = tkernel.kernel (%m : 1009, %n : 3, %k : 1013) reads(%a = %x : tensor<1009x1013xbf16>, %b = %w : tensor<1013x3xbf16>) -> tensor<1009x3xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<1009x1013xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<1013x3xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<1009x3xf32>
}

// CHECK-LABEL: @narrow_bytes
// CHECK: tile [k_i, n, m_i]{{.*}} stage rhs as (k_o, n, k_i) at grid local, contract k_i dot
func.func @narrow_bytes(%x: tensor<1009x1013xui8>, %w: tensor<1013x3xi8>) -> tensor<1009x3xi32> {
  %y = tkernel.kernel (%m : 1009, %n : 3, %k : 1013) reads(%a = %x : tensor<1009x1013xui8>, %b = %w : tensor<1013x3xi8>) -> tensor<1009x3xi32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<1009x1013xui8>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<1013x3xi8>
    %2 = tkernel.contract %0, %1 over (%k) lhs_unsigned : i8, i8 -> i32
    tkernel.store %2, 0[%m, %n] : i32
  }
  return %y : tensor<1009x3xi32>
}

// Panels of a constant are packed for all calls, by a kernel of their own.
// CHECK-LABEL: @constant
// CHECK: stage rhs as (n_o, n_m, k_o, n_i, k_i) at kernel global, contract k_i dot
func.func @constant(%x: tensor<512x512xi8>) -> tensor<512x512xi32> {
  %w = tgraph.constant dense<1> : tensor<512x512xi8>
  %y = tkernel.kernel (%m : 512, %n : 512, %k : 512) reads(%a = %x : tensor<512x512xi8>, %b = %w : tensor<512x512xi8>) -> tensor<512x512xi32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<512x512xi8>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<512x512xi8>
    %2 = tkernel.contract %0, %1 over (%k) : i8, i8 -> i32
    tkernel.store %2, 0[%m, %n] : i32
  }
  return %y : tensor<512x512xi32>
}

// Rows and columns that are packed are padded along k: no step is left over.
// CHECK-LABEL: @padded
// CHECK: stage rhs as {{.*}} stage lhs as {{.*}} contract k_i dot, edge k pad
func.func @padded(%x: tensor<509x512xbf16>, %w: tensor<509x512xbf16>) -> tensor<512x512xf32> {
  %y = tkernel.kernel (%m : 512, %n : 512, %k : 509) reads(%a = %x : tensor<509x512xbf16>, %b = %w : tensor<509x512xbf16>) -> tensor<512x512xf32> {
    %0 = tkernel.load %a[%k, %m] {name = "lhs"} : tensor<509x512xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<509x512xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<512x512xf32>
}

// 33 columns are two vectors and one column: panels are padded to three.
// CHECK-LABEL: @three_vectors
// CHECK: split n = [n_o, n_i {{16|48}}]
// CHECK-SAME: contract k_i dot, edge n pad
func.func @three_vectors(%x: tensor<1000x64xbf16>, %w: tensor<64x33xbf16>) -> tensor<1000x33xf32> {
  %y = tkernel.kernel (%m : 1000, %n : 33, %k : 64) reads(%a = %x : tensor<1000x64xbf16>, %b = %w : tensor<64x33xbf16>) -> tensor<1000x33xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<1000x64xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<64x33xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<1000x33xf32>
}

// Thirteen columns fill a vector but for three lanes, which panels hold zeros for.
// CHECK-LABEL: @thirteen_columns
// CHECK: tile [k_i, m_i, n_i]
// CHECK-SAME: edge n pad
func.func @thirteen_columns(%x: tensor<5003x333xui8>, %w: tensor<333x13xi8>) -> tensor<5003x13xi32> {
  %y = tkernel.kernel (%m : 5003, %n : 13, %k : 333) reads(%a = %x : tensor<5003x333xui8>, %b = %w : tensor<333x13xi8>) -> tensor<5003x13xi32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<5003x333xui8>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<333x13xi8>
    %2 = tkernel.contract %0, %1 over (%k) lhs_unsigned : i8, i8 -> i32
    tkernel.store %2, 0[%m, %n] : i32
  }
  return %y : tensor<5003x13xi32>
}

// A loop of two steps is unrolled.
// CHECK-LABEL: @few_steps
// CHECK: contract k_i dot, unroll k_o
func.func @few_steps(%x: tensor<255x3xbf16>, %w: tensor<3x257xbf16>) -> tensor<255x257xf32> {
  %y = tkernel.kernel (%m : 255, %n : 257, %k : 3) reads(%a = %x : tensor<255x3xbf16>, %b = %w : tensor<3x257xbf16>) -> tensor<255x257xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<255x3xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<3x257xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<255x257xf32>
}

// Programs of few steps take rows and columns of a part, so that packing is repeated seldom.
// CHECK-LABEL: @small_tiles
// CHECK: grid [n_o, m_o]{{.*}} contract k_i dot
func.func @small_tiles(%x: tensor<1000x4xbf16>, %w: tensor<4x100xbf16>) -> tensor<1000x100xf32> {
  %y = tkernel.kernel (%m : 1000, %n : 100, %k : 4) reads(%a = %x : tensor<1000x4xbf16>, %b = %w : tensor<4x100xbf16>) -> tensor<1000x100xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<1000x4xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<4x100xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<1000x100xf32>
}

// A last column by itself would be computed without dots: it is padded, or ends inside of a vector.
// CHECK-LABEL: @last_column
// CHECK: tile [k_i, m_i, {{n|n_i}}]{{.*}} contract k_i dot{{(, edge n pad)?}}
func.func @last_column(%x: tensor<12x2000xui8>, %w: tensor<2000x33xi8>) -> tensor<12x33xi32> {
  %y = tkernel.kernel (%m : 12, %n : 33, %k : 2000) reads(%a = %x : tensor<12x2000xui8>, %b = %w : tensor<2000x33xi8>) -> tensor<12x33xi32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<12x2000xui8>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<2000x33xi8>
    %2 = tkernel.contract %0, %1 over (%k) lhs_unsigned : i8, i8 -> i32
    tkernel.store %2, 0[%m, %n] : i32
  }
  return %y : tensor<12x33xi32>
}

// Nor do fourteen rows by less than a vector.
// CHECK-LABEL: @less_than_vector
// CHECK: tile [k_i, m, n], contract k_i dot
func.func @less_than_vector(%x: tensor<14x1000xbf16>, %w: tensor<1000x12xbf16>) -> tensor<14x12xf32> {
  %y = tkernel.kernel (%m : 14, %n : 12, %k : 1000) reads(%a = %x : tensor<14x1000xbf16>, %b = %w : tensor<1000x12xbf16>) -> tensor<14x12xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<14x1000xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<1000x12xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<14x12xf32>
}

// One row reads the matrix in its order, eight of its rows at a time along two strips of the result, which holds the sums.
// CHECK-LABEL: @one_row
// CHECK: split n = [n_o, n_b 32, n_l 64], split k = [k_o, k_r 2, k_i 4], grid [m, n_o], order [k_o, n_b, k_r], tile [k_i, n_l], unroll k_r, keep sum result, contract k_i dot]>
func.func @one_row(%x: tensor<1x1000xui8>, %w: tensor<1000x4096xi8>) -> tensor<1x4096xi32> {
  %y = tkernel.kernel (%m : 1, %n : 4096, %k : 1000) reads(%a = %x : tensor<1x1000xui8>, %b = %w : tensor<1000x4096xi8>) -> tensor<1x4096xi32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<1x1000xui8>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<1000x4096xi8>
    %2 = tkernel.contract %0, %1 over (%k) lhs_unsigned {name = "sum"} : i8, i8 -> i32
    tkernel.store %2, 0[%m, %n] : i32
  }
  return %y : tensor<1x4096xi32>
}

// Of a matrix beyond the second cache, whose rows are short, the next eight are fetched.
// CHECK-LABEL: @short_rows
// CHECK: keep sum result, contract k_i dot, prefetch {{.*}} 4096
func.func @short_rows(%x: tensor<1x8000xui8>, %w: tensor<8000x512xi8>) -> tensor<1x512xi32> {
  %y = tkernel.kernel (%m : 1, %n : 512, %k : 8000) reads(%a = %x : tensor<1x8000xui8>, %b = %w : tensor<8000x512xi8>) -> tensor<1x512xi32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<1x8000xui8>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<8000x512xi8>
    %2 = tkernel.contract %0, %1 over (%k) lhs_unsigned {name = "sum"} : i8, i8 -> i32
    tkernel.store %2, 0[%m, %n] : i32
  }
  return %y : tensor<1x512xi32>
}

// Not where the second cache holds it, nor of bf16, of which a row is twice as long.
// CHECK-LABEL: @short_near_rows
// CHECK-NOT: prefetch
func.func @short_near_rows(%x: tensor<1x1000xui8>, %w: tensor<1000x512xi8>) -> tensor<1x512xi32> {
  %y = tkernel.kernel (%m : 1, %n : 512, %k : 1000) reads(%a = %x : tensor<1x1000xui8>, %b = %w : tensor<1000x512xi8>) -> tensor<1x512xi32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<1x1000xui8>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<1000x512xi8>
    %2 = tkernel.contract %0, %1 over (%k) lhs_unsigned {name = "sum"} : i8, i8 -> i32
    tkernel.store %2, 0[%m, %n] : i32
  }
  return %y : tensor<1x512xi32>
}

// CHECK-LABEL: @short_rows_of_bf16
// CHECK: keep sum result, contract k_i dot]>
func.func @short_rows_of_bf16(%x: tensor<1x8000xbf16>, %w: tensor<8000x512xbf16>) -> tensor<1x512xf32> {
  %y = tkernel.kernel (%m : 1, %n : 512, %k : 8000) reads(%a = %x : tensor<1x8000xbf16>, %b = %w : tensor<8000x512xbf16>) -> tensor<1x512xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<1x8000xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<8000x512xbf16>
    %2 = tkernel.contract %0, %1 over (%k) {name = "sum"} : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<1x512xf32>
}

// Two steps are unrolled: no loop chooses between the sums of one step and of two.
// CHECK-LABEL: @two_steps
// CHECK: split k = [k_o, k_i 2]
// CHECK-SAME: contract k_i dot, unroll k_o
func.func @two_steps(%x: tensor<255x3xbf16>, %w: tensor<3x257xbf16>) -> tensor<255x257xf32> {
  %y = tkernel.kernel (%m : 255, %n : 257, %k : 3) reads(%a = %x : tensor<255x3xbf16>, %b = %w : tensor<3x257xbf16>) -> tensor<255x257xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<255x3xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<3x257xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<255x257xf32>
}

// A dimension of one point before the rows is none.
// CHECK-LABEL: @batch_of_one
// CHECK: contract k_i dot
func.func @batch_of_one(%x: tensor<1x64x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<1x64x512xf32> {
  %y = tkernel.kernel (%m : 64, %n : 512, %k : 512) reads(%a = %x : tensor<1x64x512xbf16>, %b = %w : tensor<512x512xbf16>) -> tensor<1x64x512xf32> {
    %0 = tkernel.load %a[0, %m, %k] {name = "lhs"} : tensor<1x64x512xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<512x512xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[0, %m, %n] : f32
  }
  return %y : tensor<1x64x512xf32>
}

// A dimension that was taken apart is read by its digits: rows of each head by the weights of that.
// CHECK-LABEL: @taken_apart
// CHECK: grid [h, e_o], order [m_o, e_m, k_o], tile [k_i, m_i, e_i], stage w as (h, e_o, e_m, k_o, e_i, k_i) at kernel global, contract k_i dot
func.func @taken_apart(%x: tensor<512x512xbf16>) -> tensor<8x512x64xbf16> {
  %w = tgraph.constant dense<1.0> : tensor<512x512xbf16>
  %y = tkernel.kernel (%h : 8, %m : 512, %e : 64, %k : 512) reads(%a = %x : tensor<512x512xbf16>, %b = %w : tensor<512x512xbf16>) -> tensor<8x512x64xbf16> {
    %0 = tkernel.load %a[%m, %k] : tensor<512x512xbf16>
    %1 = tkernel.load %b[%h * 64 + %e, %k] {name = "w"} : tensor<512x512xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    %3 = arith.truncf %2 : f32 to bf16
    tkernel.store %3, 0[%h, %m, %e] : bf16
  }
  return %y : tensor<8x512x64xbf16>
}

// Heads whose weights overlap are no such dimension.
// CHECK-LABEL: @overlapping
// CHECK-NOT: contract k_i dot
func.func @overlapping(%x: tensor<512x512xbf16>) -> tensor<8x512x64xbf16> {
  %w = tgraph.constant dense<1.0> : tensor<288x512xbf16>
  %y = tkernel.kernel (%h : 8, %m : 512, %e : 64, %k : 512) reads(%a = %x : tensor<512x512xbf16>, %b = %w : tensor<288x512xbf16>) -> tensor<8x512x64xbf16> {
    %0 = tkernel.load %a[%m, %k] : tensor<512x512xbf16>
    %1 = tkernel.load %b[%h * 32 + %e, %k] : tensor<288x512xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    %3 = arith.truncf %2 : f32 to bf16
    tkernel.store %3, 0[%h, %m, %e] : bf16
  }
  return %y : tensor<8x512x64xbf16>
}

// Few rows by rows of another matrix, as heads of one query by keys: lanes along what is summed, as many sums at once as a vector has lanes.
// CHECK-LABEL: @along
// CHECK: split d = [d_o, d_l 16, d_i 2], split j = [j_o, j_r 4], grid [g], order [j_o, d_o], tile [d_i, r, j_r, d_l], contract d_i dot
func.func @along(%x: tensor<8x4x64xbf16>, %w: tensor<8x512x64xbf16>) -> tensor<8x4x512xf32> {
  %y = tkernel.kernel (%g : 8, %r : 4, %j : 512, %d : 64) reads(%a = %x : tensor<8x4x64xbf16>, %b = %w : tensor<8x512x64xbf16>) -> tensor<8x4x512xf32> {
    %0 = tkernel.load %a[%g, %r, %d] : tensor<8x4x64xbf16>
    %1 = tkernel.load %b[%g, %j, %d] : tensor<8x512x64xbf16>
    %2 = tkernel.contract %0, %1 over (%d) : bf16, bf16 -> f32
    tkernel.store %2, 0[%g, %r, %j] : f32
  }
  return %y : tensor<8x4x512xf32>
}

// Few rows repay a panel of a wide matrix, too: groups are put together once, as they are loaded.
// CHECK-LABEL: @wide
// CHECK: stage rhs as (n_m, k_o, n_i, k_i) at grid local, contract k_i dot
func.func @wide(%x: tensor<64x64xbf16>, %w: tensor<64x4096xbf16>) -> tensor<64x4096xbf16> {
  %y = tkernel.kernel (%m : 64, %n : 4096, %k : 64) reads(%a = %x : tensor<64x64xbf16>, %b = %w : tensor<64x4096xbf16>) -> tensor<64x4096xbf16> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<64x64xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<64x4096xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    %3 = arith.truncf %2 : f32 to bf16
    tkernel.store %3, 0[%m, %n] : bf16
  }
  return %y : tensor<64x4096xbf16>
}

// Three terms are a group and a part of one, which zeros fill in panels of both operands: results of dots alone become
// bf16 by an instruction.
// CHECK-LABEL: @ends_in_part
// CHECK: stage rhs as ({{.*}}k_o, n_i, k_i) at grid local, stage lhs as ({{.*}}k_o, m_i, k_i) at m_{{[om]}} local, contract k_i dot, {{.*}}edge k pad
func.func @ends_in_part(%x: tensor<255x3xbf16>, %w: tensor<3x257xbf16>) -> tensor<255x257xbf16> {
  %y = tkernel.kernel (%m : 255, %n : 257, %k : 3) reads(%a = %x : tensor<255x3xbf16>, %b = %w : tensor<3x257xbf16>) -> tensor<255x257xbf16> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<255x3xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<3x257xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    %3 = arith.truncf %2 : f32 to bf16
    tkernel.store %3, 0[%m, %n] : bf16
  }
  return %y : tensor<255x257xbf16>
}

// Sums of bytes take four blocks too: what a group sums over has no place in the tile.
// BLOCKS-LABEL: @wide_bytes
// BLOCKS-SAME: m_i 32]{{.*}}contract k_i dot
func.func @wide_bytes(%x: tensor<512x512xi8>, %w: tensor<512x512xi8>) -> tensor<512x512xi32> {
  %y = tkernel.kernel (%m : 512, %n : 512, %k : 512) reads(%a = %x : tensor<512x512xi8>, %b = %w : tensor<512x512xi8>) -> tensor<512x512xi32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<512x512xi8>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<512x512xi8>
    %2 = tkernel.contract %0, %1 over (%k) : i8, i8 -> i32
    tkernel.store %2, 0[%m, %n] : i32
  }
  return %y : tensor<512x512xi32>
}
