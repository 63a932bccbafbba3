// Roots that need nothing of each other share loops, whatever stands between them: nothing is computed for a stage
// that nobody reads.
// RUN: tensor-opt %s --kernel-print-loops -o /dev/null | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// CHECK-LABEL: loops @apart
// CHECK:      for i from 0 to 64 carry scan
// CHECK:        store store#{{.*}}
// CHECK-NOT:  for i
// CHECK:      for k from 0 to 17
// CHECK:        for j from 0 to 96 carry reduce
// CHECK:        store store#{{.*}}
// CHECK-NOT:  for
// CHECK-LABEL: loops @shared
// CHECK:      for i from 0 to 5
// CHECK:        for j from 0 to 7 carry reduce#{{.*}} carry reduce#
// CHECK-NOT:    for
// CHECK:      }
// The axis that a sum keeps runs outside of the one that it reduces, where nothing orders them.
// CHECK-LABEL: loops @order
// CHECK:      for k from 0 to 4
// CHECK:        for j from 0 to 3
func.func @main(%x0: tensor<64xf32>, %x1: tensor<96x17xf32>, %x2: tensor<5x7xf32>, %x3: tensor<3x4xf32>)
    -> (tensor<64xf32>, tensor<17xf32>, tensor<5xf32>, tensor<5xf32>, tensor<4xf32>) {
  // `keep` in registers of a value for one root, which its other stages would compute again.
  %t:2 = tkernel.kernel @apart (%k : 17, %i : 64, %j : 96) reads(%a = %x0 : tensor<64xf32>, %b = %x1 : tensor<96x17xf32>)
      -> (tensor<64xf32>, tensor<17xf32>) attributes {schedule = #tkernel.schedule<[keep v register]>} {
    %1 = tkernel.load %a[%i] : tensor<64xf32>
    %2 = math.tanh %1 {name = "v"} : f32
    %3 = tkernel.load %b[%j, %k] : tensor<96x17xf32>
    %4 = tkernel.scan maximumf %2 over %i : f32
    %5 = tkernel.reduce addf %3 over (%j) : f32
    tkernel.store %4, 0[%i] : f32
    tkernel.store %5, 1[%k] : f32
  }
  %s:2 = tkernel.kernel @shared (%i : 5, %j : 7) reads(%a = %x2 : tensor<5x7xf32>) -> (tensor<5xf32>, tensor<5xf32>)
      attributes {schedule = #tkernel.schedule<[order [i, j]]>} {
    %1 = tkernel.load %a[%i, %j] : tensor<5x7xf32>
    %2 = tkernel.reduce addf %1 over (%j) : f32
    %3 = tkernel.reduce maximumf %1 over (%j) : f32
    tkernel.store %2, 0[%i] : f32
    tkernel.store %3, 1[%i] : f32
  }
  %o = tkernel.kernel @order (%j : 3, %k : 4) reads(%a = %x3 : tensor<3x4xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[]>} {
    %1 = tkernel.load %a[%j, %k] : tensor<3x4xf32>
    %2 = tkernel.reduce addf %1 over (%j) : f32
    tkernel.store %2, 0[%k] : f32
  }
  return %t#0, %t#1, %s#0, %s#1, %o : tensor<64xf32>, tensor<17xf32>, tensor<5xf32>, tensor<5xf32>, tensor<4xf32>
}
