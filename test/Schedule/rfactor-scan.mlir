// Scans in parts: a kernel scans each part by itself, another one what the parts give together, and the kernel combines both.
// RUN: tensor-opt %s --split-input-file --kernel-stage-global | FileCheck %s
// RUN: tensor-opt %s --split-input-file --interpret="integers=true" -o /dev/null > %t.whole
// RUN: tensor-opt %s --split-input-file --kernel-stage-global --interpret="integers=true" -o /dev/null | diff %t.whole -

// Beyond the last point loads give zeros, on which nothing depends.
// CHECK:         %[[PARTS:.*]] = tkernel.kernel @sums_parts (%jp : 3, %r : 2, %ji : 4)
// CHECK-SAME:        -> tensor<3x2x4xf32> attributes {schedule = #tkernel.schedule<[grid [jp], tile [r]]>}
// CHECK:           tkernel.load %{{.*}}[%r, %jp * 4 + %ji]
// CHECK:           %[[PART:.*]] = tkernel.scan addf %{{.*}} over %ji {name = "s"} : f32
// CHECK:           tkernel.store %[[PART]], 0[%jp, %r, %ji]
// CHECK:         %[[TOTALS:.*]] = tkernel.kernel @sums_totals (%jp : 3, %r : 2) reads(%{{.*}} = %[[PARTS]]
// CHECK-SAME:        -> tensor<3x2xf32>
// CHECK:           %[[TOTAL:.*]] = tkernel.load %{{.*}}[%jp, %r, 3]
// CHECK:           tkernel.scan addf %[[TOTAL]] over %jp exclusive
// CHECK:         tkernel.kernel @sums (%r : 2, %j : 10)
// CHECK-NOT:       schedule
// CHECK-DAG:       %[[BEFORE:.*]] = tkernel.load %{{.*}}[%j floordiv 4, %r] : tensor<3x2xf32>
// CHECK-DAG:       %[[OWN:.*]] = tkernel.load %{{.*}}[%j floordiv 4, %r, %j mod 4] : tensor<3x2x4xf32>
// CHECK:           %[[SUM:.*]] = arith.addf %[[BEFORE]], %[[OWN]]
// CHECK:           math.absf %[[SUM]]
func.func @main(%x: tensor<2x10xf32>) -> tensor<2x10xf32> {
  %y = tkernel.kernel @sums (%r : 2, %j : 10) reads(%a = %x : tensor<2x10xf32>) -> tensor<2x10xf32>
      attributes {schedule = #tkernel.schedule<[rfactor s over j = [jp, ji 4], grid [jp], tile [r]]>} {
    %0 = tkernel.load %a[%r, %j] : tensor<2x10xf32>
    %1 = tkernel.scan addf %0 over %j {name = "s"} : f32
    %2 = math.absf %1 : f32
    tkernel.store %2, 0[%r, %j] : f32
  }
  return %y : tensor<2x10xf32>
}

// -----

// From the end, and without the point itself: what a part lacks is in front of it, and its last point is computed again.
// Rows of one point stay out of the parts.
// CHECK:         tkernel.kernel @kernel_parts (%p : 3, %q : 4, %c : 3)
// CHECK:           tkernel.load %{{.*}}[0, %p * 4 + %q - 1, %c]
// CHECK:           tkernel.scan muli %{{.*}} over %q exclusive reverse
// CHECK:         tkernel.kernel @kernel_totals (%p : 3, %c : 3)
// CHECK:           tkernel.load %{{.*}}[%p, 0, %c]
// CHECK:           arith.muli
// CHECK:           tkernel.scan muli %{{.*}} over %p exclusive reverse
// CHECK:         tkernel.kernel (%o : 1, %j : 11, %c : 3)
// CHECK:           tkernel.load %{{.*}}[(%j + 1) floordiv 4, (%j + 1) mod 4, %c]
// CHECK:           tkernel.reduce addi {{.*}} over (%j)
func.func @main(%x: tensor<1x11x3xi32>) -> (tensor<1x11x3xi32>, tensor<3xi32>) {
  %y:2 = tkernel.kernel (%o : 1, %j : 11, %c : 3) reads(%a = %x : tensor<1x11x3xi32>) -> (tensor<1x11x3xi32>, tensor<3xi32>)
      attributes {schedule = #tkernel.schedule<[rfactor s over j = [p, q 4]]>} {
    %0 = tkernel.load %a[%o, %j, %c] : tensor<1x11x3xi32>
    %1 = arith.ori %0, %0 : i32
    %2 = tkernel.scan muli %1 over %j exclusive reverse {name = "s"} : i32
    tkernel.store %2, 0[%o, %j, %c] : i32
    %3 = tkernel.reduce addi %2 over (%j) : i32
    tkernel.store %3, 1[%c] : i32
  }
  return %y#0, %y#1 : tensor<1x11x3xi32>, tensor<3xi32>
}
