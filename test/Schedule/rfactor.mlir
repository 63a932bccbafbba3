// RUN: tensor-opt %s --kernel-stage-global | FileCheck %s
// RUN: not tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: partial results of a reduction need kernels of their own: run kernel-stage-global first

// Parts of 4 of the 11 rows; the rest of the schedule is theirs. What is left is a kernel, and this one combines.
// CHECK-LABEL: func.func @product
// CHECK:         %[[PARTS:.*]] = tkernel.kernel @gemv_parts (%kp : 2, %n : 5, %ki : 4)
// CHECK-SAME:        -> tensor<2x5xf32>
// CHECK-SAME:        schedule = #tkernel.schedule<[grid [kp], tile [n]]>
// CHECK:           tkernel.load %{{.*}}[%kp * 4 + %ki]
// CHECK:           %[[PART:.*]] = tkernel.contract {{.*}} over(%ki) {name = "s"}
// CHECK:           tkernel.store %[[PART]], 0[%kp, %n]
// CHECK:         %[[REST:.*]] = tkernel.kernel @gemv_rest (%n : 5, %ki : 3)
// CHECK-SAME:        -> tensor<1x5xf32>
// CHECK:           tkernel.load %{{.*}}[%ki + 8]
// CHECK:         tkernel.kernel @gemv (%n : 5, %kp : 2)
// CHECK-NOT:       schedule
// CHECK:           %[[EACH:.*]] = tkernel.load %{{.*}}[%kp, %n]
// CHECK:           %[[SUM:.*]] = tkernel.reduce addf %[[EACH]] over (%kp)
// CHECK:           %[[LAST:.*]] = tkernel.load %{{.*}}[0, %n]
// CHECK:           %[[ALL:.*]] = arith.addf %[[SUM]], %[[LAST]]
// CHECK:           math.tanh %[[ALL]]
func.func @product(%x: tensor<11xf32>, %w: tensor<11x5xf32>) -> tensor<5xf32> {
  %y = tkernel.kernel @gemv (%n : 5, %k : 11) reads(%a = %x : tensor<11xf32>, %b = %w : tensor<11x5xf32>) -> tensor<5xf32>
      attributes {schedule = #tkernel.schedule<[rfactor s over k = [kp, ki 4], grid [kp], tile [n]]>} {
    %0 = tkernel.load %a[%k] : tensor<11xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<11x5xf32>
    %2 = tkernel.contract %0, %1 over (%k) {name = "s"} : f32
    %3 = math.tanh %2 : f32
    tkernel.store %3, 0[%n] : f32
  }
  return %y : tensor<5xf32>
}

// Axes of one point are not those of the parts.
// CHECK-LABEL: func.func @row
// CHECK:         tkernel.kernel @kernel_parts (%kp : 2, %n : 5, %ki : 4)
// CHECK:         tkernel.kernel (%m : 1, %n : 5, %kp : 2)
func.func @row(%x: tensor<1x8xf32>, %w: tensor<8x5xf32>) -> tensor<1x5xf32> {
  %y = tkernel.kernel (%m : 1, %n : 5, %k : 8) reads(%a = %x : tensor<1x8xf32>, %b = %w : tensor<8x5xf32>) -> tensor<1x5xf32>
      attributes {schedule = #tkernel.schedule<[rfactor s over k = [kp, ki 4]]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<1x8xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<8x5xf32>
    %2 = tkernel.contract %0, %1 over (%k) {name = "s"} : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<1x5xf32>
}

// The axis stays where other ops need it; of two reductions the first is taken apart.
// CHECK-LABEL: func.func @softmax
// CHECK:         tkernel.kernel @kernel_parts (%jp : 2, %ji : 6)
// CHECK:         tkernel.kernel (%j : 12, %jp : 2)
// CHECK:           tkernel.reduce maximumf {{.*}} over (%jp)
// CHECK:           tkernel.reduce addf {{.*}} over (%j)
func.func @softmax(%x: tensor<12xf32>) -> tensor<12xf32> {
  %y = tkernel.kernel (%j : 12) reads(%a = %x : tensor<12xf32>) -> tensor<12xf32>
      attributes {schedule = #tkernel.schedule<[rfactor m over j = [jp, ji 6]]>} {
    %v = tkernel.load %a[%j] : tensor<12xf32>
    %m = tkernel.reduce maximumf %v over (%j) {name = "m"} : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = tkernel.reduce addf %e over (%j) {name = "s"} : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%j] : f32
  }
  return %y : tensor<12xf32>
}

// Merged axes, several values and a region, whose body combines what is left.
// CHECK-LABEL: func.func @argmax
// CHECK:         %[[PARTS:.*]]:2 = tkernel.kernel @kernel_parts (%p : 3, %q : 5)
// CHECK-SAME:        -> (tensor<3xf32>, tensor<3xi64>)
// CHECK:         %[[REST:.*]]:2 = tkernel.kernel @kernel_rest (%q : 2)
// CHECK:         tkernel.kernel (%o : 1, %p : 3)
// CHECK:           tkernel.reduce {{.*}} over (%p)
// CHECK:           arith.cmpf ogt
// CHECK:           arith.cmpf ogt
// CHECK:           tkernel.store {{.*}}, 0[%o]
func.func @argmax(%x: tensor<1x17xf32>) -> tensor<1xi64> {
  %y = tkernel.kernel (%o : 1, %i : 1, %j : 17) reads(%a = %x : tensor<1x17xf32>) -> tensor<1xi64>
      attributes {schedule = #tkernel.schedule<[merge r = [i, j], rfactor best over r = [p, q 5]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<1x17xf32>
    %n = arith.index_cast %j : index to i64
    %b:2 = tkernel.reduce %v, %n over (%i, %j) identities [0xFF800000 : f32, 0 : i64] {name = "best"} : f32, i64 {
    ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
      %c = arith.cmpf ogt, %v0, %a0 : f32
      %s0 = arith.select %c, %v0, %a0 : f32
      %s1 = arith.select %c, %v1, %a1 : i64
      tkernel.yield %s0, %s1 : f32, i64
    }
    tkernel.store %b#1, 0[%o] : i64
  }
  return %y : tensor<1xi64>
}
