// RUN: tensor-opt %s --kernel-schedule="machine=gpu traits=threadsInTurn=true" --split-input-file | FileCheck %s
// RUN: tensor-opt %s --split-input-file --interpret="integers=true digits=5" -o /dev/null > %t.kernel
// RUN: tensor-opt %s --split-input-file --kernel-schedule="machine=gpu traits=threadsInTurn=true" --kernel-to-launch --kernel-to-tile --canonicalize --cse --tile-prove-bounds --interpret="integers=true digits=5" -o /dev/null | diff %t.kernel -

// Threads that one core runs in turn: 64 sums each, operands where they lie.
// CHECK: schedule = #tkernel.schedule<[split i = [i_o, i_i 64], split j = [j_o, j_i 32], grid [i_o, j_o], order [k], tile [i_i, j_i], unroll k 4, warps 1, edge i mask]>
func.func @main(%x: tensor<100x70xf32>, %w: tensor<70x128xf32>) -> tensor<100x128xf32> {
  %y = tkernel.kernel (%i : 100, %j : 128, %k : 70) reads(%a = %x : tensor<100x70xf32>, %b = %w : tensor<70x128xf32>) -> tensor<100x128xf32> {
    %0 = tkernel.load %a[%i, %k] : tensor<100x70xf32>
    %1 = tkernel.load %b[%k, %j] : tensor<70x128xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%i, %j] : f32
  }
  return %y : tensor<100x128xf32>
}

// -----

// A convolution: a loop for each axis of the window, so that nothing is divided in them.
// CHECK: schedule = #tkernel.schedule<[merge p_q = [p, q], split p_q = [p_q_o, p_q_i 32], grid [p_q_o], order [c, r, s], tile [o, p_q_i], unroll s 4, warps 1]>
func.func @main(%x: tensor<5x10x10xf32>, %w: tensor<64x5x3x3xf32>) -> tensor<64x8x8xf32> {
  %y = tkernel.kernel (%o : 64, %p : 8, %q : 8, %c : 5, %r : 3, %s : 3) reads(%a = %x : tensor<5x10x10xf32>, %b = %w : tensor<64x5x3x3xf32>) -> tensor<64x8x8xf32> {
    %0 = tkernel.load %a[%c, %p + %r, %q + %s] : tensor<5x10x10xf32>
    %1 = tkernel.load %b[%o, %c, %r, %s] : tensor<64x5x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%o, %p, %q] : f32
  }
  return %y : tensor<64x8x8xf32>
}

// -----

// A row of 1024 elements has one subgroup instead of four: fewer threads meet.
// CHECK: schedule = #tkernel.schedule<[grid [i], tile [j], warps 1]>
func.func @main(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %y = tkernel.kernel (%i : 64, %j : 1024) reads(%a = %x : tensor<64x1024xf32>) -> tensor<64x1024xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<64x1024xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    tkernel.store %d, 0[%i, %j] : f32
  }
  return %y : tensor<64x1024xf32>
}
