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

// -----

// By a region: in order along a loop, from the end in parts of which the first one is partial.
// CHECK-LABEL: ttile.func @recurrence
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[H:.*]] = %{{.*}}) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NOT: ttile.scan
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[A]], %[[B:.*]] = %[[H]])
// CHECK: arith.mulf %{{.*}}
// CHECK: ttile.store
func.func @main(%x: tensor<50x4xf32>, %z: tensor<50x4xf32>) -> (tensor<50x4xf32>, tensor<50x4xf32>) {
  %y:2 = tkernel.kernel @recurrence (%i : 50, %j : 4) reads(%a = %x : tensor<50x4xf32>, %b = %z : tensor<50x4xf32>) -> (tensor<50x4xf32>, tensor<50x4xf32>)
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 8], order [io, ii], tile [j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<50x4xf32>
    %w = tkernel.load %b[%i, %j] : tensor<50x4xf32>
    %s:2 = tkernel.scan %v, %w over %i reverse identities [1.0 : f32, 0.0 : f32] : f32, f32 {
    ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
      %0 = arith.mulf %a1, %a0 : f32
      %1 = arith.mulf %a1, %b0 : f32
      %2 = arith.addf %1, %b1 : f32
      tkernel.yield %0, %2 : f32, f32
    }
    tkernel.store %s#0, 0[%i, %j] : f32
    tkernel.store %s#1, 1[%i, %j] : f32
  }
  return %y#0, %y#1 : tensor<50x4xf32>, tensor<50x4xf32>
}

// -----

// Without the element itself the first one is the identity.
// CHECK-LABEL: ttile.func @before
// CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}) -> (tensor<4xi32>)
// CHECK: ttile.store %[[C]]
func.func @main(%x: tensor<50x4xi32>) -> tensor<50x4xi32> {
  %y = tkernel.kernel @before (%i : 50, %j : 4) reads(%a = %x : tensor<50x4xi32>) -> tensor<50x4xi32>
      attributes {schedule = #tkernel.schedule<[order [i], tile [j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<50x4xi32>
    %s = tkernel.scan %v over %i exclusive identities [7 : i32] : i32 {
    ^bb0(%p: i32, %q: i32):
      %c3 = arith.constant 3 : i32
      %0 = arith.muli %p, %c3 : i32
      %1 = arith.addi %0, %q : i32
      tkernel.yield %1 : i32
    }
    tkernel.store %s, 0[%i, %j] : i32
  }
  return %y : tensor<50x4xi32>
}
