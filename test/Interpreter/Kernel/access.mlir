// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile --interpret -o /dev/null | FileCheck %s

func.func @main() -> (tensor<4x2xf32>, tensor<2x3xi32>, tensor<3xi8>, tensor<5xf32>, tensor<2x6xi32>, tensor<2x40x40xi32>) {
  %x = tgraph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  // Outside of the tensor the fill is read.
  // CHECK: result 0 : tensor<4x2xf32> = 9 9 1 2 3 4 9 9
  %pad = tkernel.kernel (%i : 4, %j : 2) reads(%a = %x : tensor<2x2xf32>) -> tensor<4x2xf32> {
    %v = tkernel.load %a[%i - 1, %j] else 9.0 : tensor<2x2xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  %n = tgraph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  // Guards in order, then the tensor, then the fill.
  // CHECK: result 1 : tensor<2x3xi32> = 10 -1 3 20 -1 3
  %guards = tkernel.kernel (%i : 2, %j : 3) reads(%a = %n : tensor<2x3xi32>) -> tensor<2x3xi32> {
    %v = tkernel.load %a through #tview.map<affine_map<(d0, d1) -> (d0 * 0 + d1 - 2, d1)>,
        [(d0, d1) : (d1 - 1 ge 0) else 10 : i32, (d0, d1) : (d1 - 1 - d0 * 0 ge 0, d1 ge 1) else 20 : i32],
        else -1 : i32>(%i, %j) : tensor<2x3xi32>
    %c = arith.constant 10 : i32
    %isfirst = arith.cmpi eq, %v, %c : i32
    %row = arith.index_cast %i : index to i32
    %ten = arith.muli %row, %c : i32
    %more = arith.addi %v, %ten : i32
    %r = arith.select %isfirst, %more, %v : i32
    tkernel.store %r, 0[%i, %j] : i32
  }
  %u = tgraph.constant dense<[5, 255, 7]> : tensor<3xui8>
  %at = tgraph.constant dense<[1, 3, 2]> : tensor<3xi64>
  // An index from data.
  // CHECK: result 2 : tensor<3xi8> = -1 0 7
  %gather = tkernel.kernel (%i : 3) reads(%a = %u : tensor<3xui8>, %b = %at : tensor<3xi64>) -> tensor<3xi8> {
    %p = tkernel.load %b[%i] : tensor<3xi64>
    %q = arith.index_cast %p : i64 to index
    %v = tkernel.load %a[%q] : tensor<3xui8>
    tkernel.store %v, 0[%i] : i8
  }
  %y = tgraph.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  // CHECK: result 3 : tensor<5xf32> = 5 4 3 2 1
  %flip = tkernel.kernel (%i : 5) reads(%a = %y : tensor<5xf32>) -> tensor<5xf32> {
    %p = affine.apply affine_map<(d0) -> (4 - d0)>(%i)
    %v = tkernel.load %a[%p] : tensor<5xf32>
    tkernel.store %v, 0[%i] : f32
  }
  // floordiv and mod: (2, 3) read as (3, 2), transposed.
  // CHECK: result 4 : tensor<2x6xi32> = 1 3 5 2 4 6 1 3 5 2 4 6
  %reshape = tkernel.kernel (%i : 2, %j : 6) reads(%a = %n : tensor<2x3xi32>) -> tensor<2x6xi32> {
    %v = tkernel.load %a through #tview.map<affine_map<(d0, d1) ->
        (((d1 mod 3) * 2 + d1 floordiv 3) floordiv 3, ((d1 mod 3) * 2 + d1 floordiv 3) mod 3)>>(%i, %j) : tensor<2x3xi32>
    tkernel.store %v, 0[%i, %j] : i32
  }
  // More points than lanes, in a chunk that does not divide.
  // CHECK: result 5 : tensor<2x40x40xi32> = 0 1 2 3 4 5 6 7 ... weighted sum 6.429e+08
  %many = tkernel.kernel (%i : 2, %j : 40, %k : 40) reads() -> tensor<2x40x40xi32> {
    %p = affine.apply affine_map<(d0, d1, d2) -> ((d0 * 40 + d1) * 40 + d2)>(%i, %j, %k)
    %v = arith.index_cast %p : index to i32
    tkernel.store %v, 0[%i, %j, %k] : i32
  }
  return %pad, %guards, %gather, %flip, %reshape, %many
      : tensor<4x2xf32>, tensor<2x3xi32>, tensor<3xi8>, tensor<5xf32>, tensor<2x6xi32>, tensor<2x40x40xi32>
}
