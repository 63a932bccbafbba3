// RUN: tensor-opt %s --kernel-to-launch --kernel-to-tile --canonicalize --cse --split-input-file | FileCheck %s
// The tile forms compute what the kernels do.
// RUN: tensor-opt %s --split-input-file --interpret=digits=5 -o /dev/null > %t.kernel
// RUN: tensor-opt %s --split-input-file --kernel-to-launch --kernel-to-tile --interpret=digits=5 -o /dev/null | diff %t.kernel -

// Along the tile within it, along the loop by the carry of totals.
// CHECK-LABEL: ttile.func @cumsum
// CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}) -> (tensor<1xf32>)
// CHECK:   %[[S:.*]], %[[T:.*]] = ttile.scan addf %{{.*}} dim 0 : tensor<16xf32> -> tensor<1xf32>
// CHECK:   %[[B:.*]] = ttile.broadcast %[[C]]
// CHECK:   %[[R:.*]] = arith.addf %[[B]], %[[S]]
// CHECK:   %[[N:.*]] = arith.addf %[[C]], %[[T]]
// CHECK:   ttile.store %[[R]]
// CHECK:   scf.yield %[[N]]
func.func @main(%x: tensor<4x50xf32>) -> tensor<4x50xf32> {
  %y = tkernel.kernel @cumsum (%i : 4, %j : 50) reads(%a = %x : tensor<4x50xf32>) -> tensor<4x50xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 16], grid [i], order [jo], tile [ji], edge j peel]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x50xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4x50xf32>
}

// -----

// From the end the partial iteration is the first, and what lies beyond the axis counts for nothing.
// CHECK-LABEL: ttile.func @reversed
// CHECK: scf.for
// CHECK:   ttile.inside
// CHECK:   %[[V:.*]] = arith.select
// CHECK:   ttile.scan maximumf %[[V]] dim 1 exclusive reverse : tensor<2x16xf32> -> tensor<2x1xf32>
func.func @main(%x: tensor<4x50xf32>) -> tensor<4x50xf32> {
  %y = tkernel.kernel @reversed (%i : 4, %j : 50) reads(%a = %x : tensor<4x50xf32>) -> tensor<4x50xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 2], split j = [jo, ji 16], grid [io], order [jo], tile [ii, ji], edge j peel]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x50xf32>
    %s = tkernel.scan maximumf %v over %j exclusive reverse : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4x50xf32>
}

// -----

// All of the axis in a tile: no loop, no carry.
// CHECK-LABEL: ttile.func @whole
// CHECK-NOT: scf.for
// CHECK: %[[S:.*]], %{{.*}} = ttile.scan addi
// CHECK: ttile.store %[[S]]
func.func @main(%x: tensor<4x21xi32>) -> tensor<4x21xi32> {
  %y = tkernel.kernel @whole (%i : 4, %j : 21) reads(%a = %x : tensor<4x21xi32>) -> tensor<4x21xi32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x21xi32>
    %s = tkernel.scan addi %v over %j reverse : i32
    tkernel.store %s, 0[%i, %j] : i32
  }
  return %y : tensor<4x21xi32>
}

// -----

// A part of one point inside of the tile leaves the tile its extent.
// CHECK-LABEL: ttile.func @one_point
// CHECK: ttile.scan addf %{{.*}} dim 0 : tensor<16xf32> -> tensor<1xf32>
// CHECK: ttile.scan addf %{{.*}} dim 0 : tensor<2xf32> -> tensor<1xf32>
func.func @main(%x: tensor<4x50xf32>) -> tensor<4x50xf32> {
  %y = tkernel.kernel @one_point (%i : 4, %j : 50) reads(%a = %x : tensor<4x50xf32>) -> tensor<4x50xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 16, jj 1], grid [i], order [jo], tile [ji], edge j peel]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x50xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4x50xf32>
}
