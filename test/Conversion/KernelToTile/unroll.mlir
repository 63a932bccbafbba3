// RUN: tensor-opt %s --kernel-to-launch --kernel-to-tile --canonicalize --cse | FileCheck %s

// `unroll r` is full, `unroll k 2` halves the trips.
// CHECK-LABEL: ttile.func @sum
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c2
// CHECK-COUNT-6: ttile.load
// CHECK-NOT: ttile.load
// CHECK: scf.yield
func.func @main(%x: tensor<8x3x16xf32>) -> tensor<16xf32> {
  %y = tkernel.kernel @sum (%k : 8, %r : 3, %i : 16) reads(%a = %x : tensor<8x3x16xf32>) -> tensor<16xf32>
      attributes {schedule = #tkernel.schedule<[order [k, r], tile [i], unroll r, unroll k 2]>} {
    %v = tkernel.load %a[%k, %r, %i] : tensor<8x3x16xf32>
    %s = tkernel.reduce addf %v over (%k, %r) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<16xf32>
}
