// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --kernel-schedule --kernel-to-launch --kernel-to-tile --interpret -o /dev/null \
// RUN:   | FileCheck %s

func.func @main() -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>,
    tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>,
    tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xi1>, tensor<4xi1>, tensor<4xi64>, tensor<4xi1>) {
  %a = tgraph.constant dense<[5.5, -5.5, 5.5, 1.0, 0.0, 0x7FC00000]> : tensor<6xf32>
  %b = tgraph.constant dense<[3.0, 3.0, -3.0, 0.0, 0.0, 0.0]> : tensor<6xf32>
  // CHECK: result 0 : tensor<6xf32> = 1.833 -1.833 -1.833 inf nan nan
  %div = tgraph.div %a, %b : tensor<6xf32>
  // CHECK: result 1 : tensor<6xf32> = 2.5 -2.5 2.5 nan nan nan
  %rem = tgraph.rem %a, %b : tensor<6xf32>
  // CHECK: result 2 : tensor<6xf32> = 2.5 0.5 -0.5 nan nan nan
  %mod = tgraph.mod %a, %b : tensor<6xf32>
  // pow(x, 0) = 1 also for NaN.
  // CHECK: result 3 : tensor<6xf32> = 166.4 -166.4 0.006011 1 1 1
  %pow = tgraph.pow %a, %b : tensor<6xf32>
  // CHECK: result 4 : tensor<6xf32> = 3 -5.5 -3 0 0 nan
  %min = tgraph.minimum %a, %b : tensor<6xf32>
  // CHECK: result 5 : tensor<6xf32> = 5.5 3 5.5 1 0 nan
  %max = tgraph.maximum %a, %b : tensor<6xf32>

  %i = tgraph.constant dense<[100, -100, 7, -7, -128, 7, -1, 3]> : tensor<8xi8>
  %j = tgraph.constant dense<[100, 100, -2, 2, -1, 0, 9, 3]> : tensor<8xi8>
  // CHECK: result 6 : tensor<8xi8> = -56 0 5 -5 127 7 8 6
  %iadd = tgraph.add %i, %j : tensor<8xi8>
  // CHECK: result 7 : tensor<8xi8> = 16 -16 -14 -14 -128 0 -9 9
  %imul = tgraph.mul %i, %j : tensor<8xi8>
  // x / 0 has all bits set, the least value / -1 stays.
  // CHECK: result 8 : tensor<8xi8> = 1 -1 -3 -3 -128 -1 0 1
  %idiv = tgraph.div %i, %j : tensor<8xi8>
  // CHECK: result 9 : tensor<8xi8> = 0 0 1 -1 0 7 -1 0
  %irem = tgraph.rem %i, %j : tensor<8xi8>
  // CHECK: result 10 : tensor<8xi8> = 0 0 -1 1 0 7 8 0
  %imod = tgraph.mod %i, %j : tensor<8xi8>
  // CHECK: result 11 : tensor<8xi8> = 0 0 0 49 0 1 -1 27
  %ipow = tgraph.pow %i, %j : tensor<8xi8>
  // Amounts are unsigned; at or above the width the result is 0, or the sign.
  // CHECK: result 12 : tensor<8xi8> = 0 0 0 -28 0 7 0 24
  %ishl = tgraph.shl %i, %j : tensor<8xi8>
  // CHECK: result 13 : tensor<8xi8> = 0 -1 0 -2 -1 7 -1 0
  %ishr = tgraph.shr %i, %j : tensor<8xi8>
  // CHECK: result 14 : tensor<8xi8> = 0 -8 -7 -5 127 7 -10 0
  %ixor = tgraph.xor %i, %j : tensor<8xi8>

  %u = tgraph.constant dense<[200, 255, 7, 128]> : tensor<4xui8>
  %v = tgraph.constant dense<[100, 2, 0, 7]> : tensor<4xui8>
  // CHECK: result 15 : tensor<4xui8> = 2 127 255 18
  %udiv = tgraph.div %u, %v : tensor<4xui8>
  // CHECK: result 16 : tensor<4xui8> = 0 1 7 2
  %urem = tgraph.rem %u, %v : tensor<4xui8>
  // CHECK: result 17 : tensor<4xui8> = 0 63 7 1
  %ushr = tgraph.shr %u, %v : tensor<4xui8>
  // CHECK: result 18 : tensor<4xui8> = 100 2 0 7
  %umin = tgraph.minimum %u, %v : tensor<4xui8>
  %p = tgraph.constant dense<[true, true, false, false]> : tensor<4xi1>
  %q = tgraph.constant dense<[true, false, true, false]> : tensor<4xi1>
  // CHECK: result 19 : tensor<4xi1> = 0 1 1 0
  %badd = tgraph.add %p, %q : tensor<4xi1>
  // CHECK: result 20 : tensor<4xi1> = 1 1 0 1
  %bdiv = tgraph.div %p, %q : tensor<4xi1>
  %l = tgraph.constant dense<[-9223372036854775808, 9223372036854775807, 3, -1]> : tensor<4xi64>
  %m = tgraph.constant dense<[-1, 2, 40, -3]> : tensor<4xi64>
  // CHECK: result 21 : tensor<4xi64> = 0 1 -6289078614652622815 -1
  %lpow = tgraph.pow %l, %m : tensor<4xi64>
  // CHECK: result 22 : tensor<4xi1> = 1 1 1 0
  %bmax = tgraph.maximum %p, %q : tensor<4xi1>
  return %div, %rem, %mod, %pow, %min, %max, %iadd, %imul, %idiv, %irem, %imod, %ipow, %ishl, %ishr, %ixor,
      %udiv, %urem, %ushr, %umin, %badd, %bdiv, %lpow, %bmax
      : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>,
    tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>,
    tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xi1>, tensor<4xi1>, tensor<4xi64>, tensor<4xi1>
}
