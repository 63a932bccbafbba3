// RUN: tensor-opt %s --kernel-to-launch --kernel-to-tile --canonicalize --cse | FileCheck %s

// Lanes beyond the axis hold zeros: there the divisor is replaced by 1.
// CHECK-LABEL: ttile.func @divide
// CHECK: %[[IN:.*]] = ttile.inside
// CHECK: %[[D:.*]] = arith.select %[[IN]], %{{.*}}, %{{.*}} : tensor<16xi1>, tensor<16xi32>
// CHECK: arith.divsi %{{.*}}, %[[D]]
func.func @main(%x: tensor<20xi32>, %y: tensor<20xi32>) -> tensor<20xi32> {
  %z = tkernel.kernel @divide (%i : 20) reads(%a = %x : tensor<20xi32>, %b = %y : tensor<20xi32>) -> tensor<20xi32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 16], grid [io], tile [ii]]>} {
    %0 = tkernel.load %a[%i] : tensor<20xi32>
    %1 = tkernel.load %b[%i] : tensor<20xi32>
    %2 = arith.divsi %0, %1 : i32
    tkernel.store %2, 0[%i] : i32
  }
  return %z : tensor<20xi32>
}
