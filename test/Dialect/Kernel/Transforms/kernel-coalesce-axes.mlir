// RUN: tensor-opt %s --kernel-coalesce-axes --split-input-file | FileCheck %s

// Two reductions and the result go along one axis: one load is left.
// CHECK-LABEL: func.func @rows
// CHECK: tkernel.kernel (%[[I:.*]] : 4, %[[J:.*]] : 8) reads
// CHECK-COUNT-1: tkernel.load %{{.*}}[%[[I]], %[[J]]]
// CHECK-NOT: tkernel.load
// CHECK: tkernel.reduce maximumf %{{.*}} over (%[[J]])
// CHECK: tkernel.reduce addf %{{.*}} over (%[[J]])
// CHECK: tkernel.store %{{.*}}, 0[%[[I]], %[[J]]]
func.func @rows(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = tkernel.kernel (%i : 4, %j : 8, %k : 8, %l : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = tkernel.load %a[%i, %k] : tensor<4x8xf32>
    %1 = tkernel.reduce maximumf %0 over (%k) : f32
    %2 = tkernel.load %a[%i, %l] : tensor<4x8xf32>
    %3 = arith.subf %2, %1 : f32
    %4 = tkernel.reduce addf %3 over (%l) : f32
    %5 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %6 = arith.divf %5, %4 : f32
    tkernel.store %6, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

// y[i, j] = x[i, j] / s[j] with s[c] the sum of row c: r is summed where j is kept, so they are not one; that
// of a square would be its diagonal.
// CHECK-LABEL: func.func @capture
// CHECK: tkernel.kernel (%[[I:.*]] : 8, %[[J:.*]] : 8, %[[R:.*]] : 8) reads
// CHECK: tkernel.load %{{.*}}[%[[J]], %[[R]]]
// CHECK: tkernel.reduce addf %{{.*}} over (%[[R]])
func.func @capture(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = tkernel.kernel (%i : 8, %j : 8, %r : 8) reads(%a = %x : tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = tkernel.load %a[%j, %r] : tensor<8x8xf32>
    %1 = tkernel.reduce addf %0 over (%r) : f32
    %2 = tkernel.load %a[%i, %j] : tensor<8x8xf32>
    %3 = arith.divf %2, %1 : f32
    tkernel.store %3, 0[%i, %j] : f32
  }
  return %y : tensor<8x8xf32>
}

// -----

// The loads of w would be equal with one axis, but a is reduced inside of what r reduces: one axis would sum
// the diagonal.
// CHECK-LABEL: func.func @nested
// CHECK: tkernel.kernel (%{{.*}} : 4, %[[R:.*]] : 8, %[[A:.*]] : 8) reads
// CHECK: tkernel.contract %{{.*}} over(%[[A]])
// CHECK: tkernel.contract %{{.*}} over(%[[R]])
func.func @nested(%x: tensor<4x8x8xf32>, %w: tensor<8xf32>) -> tensor<4xf32> {
  %y = tkernel.kernel (%i : 4, %r : 8, %a : 8) reads(%t = %x : tensor<4x8x8xf32>, %u = %w : tensor<8xf32>) -> tensor<4xf32> {
    %0 = tkernel.load %t[%i, %r, %a] : tensor<4x8x8xf32>
    %1 = tkernel.load %u[%a] : tensor<8xf32>
    %2 = tkernel.contract %0, %1 over (%a) : f32
    %3 = tkernel.load %u[%r] : tensor<8xf32>
    %4 = tkernel.contract %2, %3 over (%r) : f32
    tkernel.store %4, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

// d = e would make the loads of x equal, but the first product keeps j outside of d, and the second d outside
// of j: no order of loops has both.
// CHECK-LABEL: func.func @order
// CHECK: tkernel.kernel (%{{.*}} : 4, %[[E:.*]] : 8, %[[J:.*]] : 16, %[[D:.*]] : 8) reads
// CHECK: tkernel.contract {{.*}} over(%[[D]])
// CHECK: tkernel.contract {{.*}} over(%[[J]])
func.func @order(%q: tensor<4x8xf32>, %x: tensor<16x8xf32>) -> tensor<4x8xf32> {
  %y = tkernel.kernel (%i : 4, %e : 8, %j : 16, %d : 8) reads(%a = %q : tensor<4x8xf32>, %b = %x : tensor<16x8xf32>) -> tensor<4x8xf32> {
    %0 = tkernel.load %a[%i, %d] : tensor<4x8xf32>
    %1 = tkernel.load %b[%j, %d] : tensor<16x8xf32>
    %2 = tkernel.contract %0, %1 over (%d) : f32
    %3 = tkernel.load %b[%j, %e] : tensor<16x8xf32>
    %4 = tkernel.contract %2, %3 over (%j) : f32
    tkernel.store %4, 0[%i, %e] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

// Results of one shape that read nothing in common are stored along the same axes.
// CHECK-LABEL: func.func @stores
// CHECK: tkernel.kernel (%[[I:.*]] : 4, %[[J:.*]] : 8) reads
// CHECK: tkernel.store %{{.*}}, 0[%[[I]], %[[J]]]
// CHECK: tkernel.store %{{.*}}, 1[%[[I]], %[[J]]]
func.func @stores(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %r:2 = tkernel.kernel (%i : 4, %j : 8, %k : 4, %l : 8) reads(%a = %x : tensor<4x8xf32>, %b = %y : tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %1 = math.exp %0 : f32
    tkernel.store %1, 0[%i, %j] : f32
    %2 = tkernel.load %b[%k, %l] : tensor<4x8xf32>
    %3 = arith.negf %2 : f32
    tkernel.store %3, 1[%k, %l] : f32
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Loads with other fills are not equal, whatever their axes; a schedule speaks of the axes that there are.
// CHECK-LABEL: func.func @apart
// CHECK: tkernel.kernel (%{{.*}} : 4, %{{.*}} : 4) reads
// CHECK: tkernel.kernel (%{{.*}} : 4, %{{.*}} : 4) reads
func.func @apart(%x: tensor<3xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = tkernel.kernel (%i : 4, %k : 4) reads(%a = %x : tensor<3xf32>) -> tensor<4xf32> {
    %0 = tkernel.load %a[%i] else 1.0 : tensor<3xf32>
    %1 = tkernel.load %a[%k] else 2.0 : tensor<3xf32>
    %2 = tkernel.reduce addf %1 over (%k) : f32
    %3 = arith.mulf %0, %2 : f32
    tkernel.store %3, 0[%i] : f32
  }
  %z = tkernel.kernel (%i : 4, %k : 4) reads(%a = %x : tensor<3xf32>) -> tensor<4xf32> attributes {schedule = #tkernel.schedule<[grid [i], order [k]]>} {
    %0 = tkernel.load %a[%i] else 1.0 : tensor<3xf32>
    %1 = tkernel.load %a[%k] else 1.0 : tensor<3xf32>
    %2 = tkernel.reduce addf %1 over (%k) : f32
    %3 = arith.mulf %0, %2 : f32
    tkernel.store %3, 0[%i] : f32
  }
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}
