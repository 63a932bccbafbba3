// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s

// CHECK: result 0 : tensor<2x3xf32> = 11 21 31 21 41 61
// CHECK: result 1 : tensor<2xf32> = 6 14
// CHECK: result 2 : tensor<f32> = 60
// CHECK: result 3 : tensor<2xi32> = 2 1
// CHECK: result 4 : tensor<f32> = 5
// CHECK: result 5 : tensor<4xf32> = 11 13 23 27
ttile.func @main() results(%y: memref<2x3xf32>, %s: memref<2xf32>, %t: memref<f32>, %w: memref<2xi32>, %z: memref<f32>, %parts: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %true = arith.constant true
  // Two parts, each from what is before it.
  %row = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %before = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %running, %last = ttile.scan addf %row from %before dim 0 : tensor<4xf32> from tensor<2xf32> -> tensor<2xf32>
  ttile.store %running, %parts through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<4xf32> -> memref<4xf32>
  %a = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %b = arith.constant dense<[[10.0, 20.0, 30.0]]> : tensor<1x3xf32>
  %c = arith.constant dense<1.0> : tensor<2x3xf32>
  // An outer product.
  %m = ttile.mma %a, %b, %c : tensor<2x1xf32>, tensor<1x3xf32>, tensor<2x3xf32>
  ttile.store %m, %y through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<2x3xf32> -> memref<2x3xf32>
  // Loop arguments change places: after three rounds the first is %u.
  %u = ttile.broadcast %a : tensor<2x1xf32> -> tensor<2x3xf32>
  %l:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %c, %q = %u) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    scf.yield %q, %p : tensor<2x3xf32>, tensor<2x3xf32>
  }
  %one = ttile.reduce mulf %l#1 dims [0, 1] : tensor<2x3xf32> -> tensor<1x1xf32>
  %sum = ttile.reduce addf %l#0 dims [1] : tensor<2x3xf32> -> tensor<2x1xf32>
  %ones = ttile.broadcast %one : tensor<1x1xf32> -> tensor<2x1xf32>
  %plus = arith.addf %sum, %ones : tensor<2x1xf32>
  %double = arith.mulf %plus, %a : tensor<2x1xf32>
  %half = arith.constant dense<[[2.0], [0.0]]> : tensor<2x1xf32>
  %more = arith.addf %double, %half : tensor<2x1xf32>
  %choice = arith.select %true, %more, %a : tensor<2x1xf32>
  ttile.store %choice, %s through #tview.map<affine_map<(d0, d1) -> (d0)>>() : tensor<2x1xf32> -> memref<2xf32>
  %all = ttile.reduce maximumf %m dims [0, 1] : tensor<2x3xf32> -> tensor<1x1xf32>
  %minus = arith.constant dense<-1.0> : tensor<1x1xf32>
  %less = arith.addf %all, %minus : tensor<1x1xf32>
  ttile.store %less, %t through #tview.map<affine_map<(d0, d1) -> ()>>() : tensor<1x1xf32> -> memref<f32>
  // Two values through a region: where the greatest is.
  %v = arith.constant dense<[[3.0, 5.0, 9.0], [4.0, 9.0, 9.0]]> : tensor<2x3xf32>
  %j = ttile.index affine_map<(d0, d1) -> (d1)>() : tensor<2x3xindex>
  %n = arith.index_cast %j : tensor<2x3xindex> to tensor<2x3xi32>
  %r:2 = ttile.reduce %v, %n dims [1] identities [0xFF800000 : f32, 2147483647 : i32] : tensor<2x3xf32>, tensor<2x3xi32> -> tensor<2x1xf32>, tensor<2x1xi32> {
  ^bb0(%a0: f32, %a1: i32, %v0: f32, %v1: i32):
    %gt = arith.cmpf ogt, %v0, %a0 : f32
    %eq = arith.cmpf oeq, %v0, %a0 : f32
    %lt = arith.cmpi slt, %v1, %a1 : i32
    %tie = arith.andi %eq, %lt : i1
    %win = arith.ori %gt, %tie : i1
    %r0 = arith.select %win, %v0, %a0 : f32
    %r1 = arith.select %win, %v1, %a1 : i32
    ttile.yield %r0, %r1 : f32, i32
  }
  ttile.store %r#1, %w through #tview.map<affine_map<(d0, d1) -> (d0)>>() : tensor<2x1xi32> -> memref<2xi32>
  %d = scf.if %true -> tensor<1x1xf32> {
    %five = arith.constant dense<5.0> : tensor<1x1xf32>
    scf.yield %five : tensor<1x1xf32>
  } else {
    scf.yield %minus : tensor<1x1xf32>
  }
  ttile.store %d, %z through #tview.map<affine_map<(d0, d1) -> ()>>() : tensor<1x1xf32> -> memref<f32>
  ttile.return
}
