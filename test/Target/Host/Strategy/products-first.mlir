// RUN: tensor-opt %s --kernel-schedule=traits=lanes=8,registers=16,threads=1 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tensor-run %t.mlir --compare=interpreter --quiet

// Products that lie along what they sum, and functions of them: each product is computed whole into local memory, with the
// points of its own sum in the lanes, before the functions take vectors of results. All rows of some lanes are computed
// before the next lanes where the weights of all are more than the first cache holds.
// CHECK: @cell
// CHECK-SAME: order [i, j_o, k_o, l_o], tile [k_l, l_l, j_l], stage sum as (i, j_o, j_l) at grid local, stage sum_ as (i, j_o, j_l) at grid local
// CHECK: @blocks
// CHECK-SAME: split j = [j_o, j_b 2, j_l 8]
// CHECK-SAME: order [j_o, i, j_b, k_o], tile [k_l, j_l], stage sum as (j_o, i, j_b, j_l) at grid local
func.func @main(%x: tensor<4x48xf32>, %h: tensor<4x30xf32>, %w: tensor<37x48xf32>, %r: tensor<37x30xf32>,
                %y: tensor<6x256xf32>, %v: tensor<272x256xf32>) -> (tensor<4x37xf32>, tensor<6x136xf32>) {
  %a = tkernel.kernel @cell (%i : 4, %j : 37, %k : 48, %l : 30) reads(%p = %x : tensor<4x48xf32>, %q = %w : tensor<37x48xf32>, %s = %h : tensor<4x30xf32>, %t = %r : tensor<37x30xf32>) -> tensor<4x37xf32> {
    %0 = tkernel.load %p[%i, %k] : tensor<4x48xf32>
    %1 = tkernel.load %q[%j, %k] : tensor<37x48xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    %3 = tkernel.load %s[%i, %l] : tensor<4x30xf32>
    %4 = tkernel.load %t[%j, %l] : tensor<37x30xf32>
    %5 = tkernel.contract %3, %4 over (%l) : f32
    %6 = arith.addf %2, %5 : f32
    %7 = math.tanh %6 : f32
    %8 = math.exp %7 : f32
    tkernel.store %8, 0[%i, %j] : f32
  }
  %b = tkernel.kernel @blocks (%i : 6, %j : 136, %k : 256) reads(%p = %y : tensor<6x256xf32>, %q = %v : tensor<272x256xf32>) -> tensor<6x136xf32> {
    %0 = tkernel.load %p[%i, %k] : tensor<6x256xf32>
    %1 = tkernel.load %q[%j, %k] : tensor<272x256xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    %3 = tkernel.load %q[%j + 136, %k] : tensor<272x256xf32>
    %4 = tkernel.contract %0, %3 over (%k) : f32
    %5 = math.tanh %2 : f32
    %6 = math.exp %5 : f32
    %7 = arith.mulf %6, %4 : f32
    %8 = math.tanh %7 : f32
    tkernel.store %8, 0[%i, %j] : f32
  }
  return %a, %b : tensor<4x37xf32>, tensor<6x136xf32>
}
