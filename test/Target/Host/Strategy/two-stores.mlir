// Programs share only the axes that every store has: programs along another one would all store the same.
// RUN: tensor-opt %s --kernel-schedule | FileCheck %s

// CHECK-LABEL: func.func @apart
// CHECK: schedule = #tkernel.schedule<[{{.*}}]>
// CHECK-NOT: grid [
// CHECK: return
func.func @apart(%x: tensor<2000x64xf32>, %v: tensor<1000xf32>) -> (tensor<2000xf32>, tensor<1000xf32>) {
  %y:2 = tkernel.kernel @two (%i : 2000, %j : 1000, %k : 64) reads(%a = %x : tensor<2000x64xf32>, %b = %v : tensor<1000xf32>) -> (tensor<2000xf32>, tensor<1000xf32>) {
    %0 = tkernel.load %a[%i, %k] : tensor<2000x64xf32>
    %1 = tkernel.reduce addf %0 over (%k) : f32
    %2 = tkernel.load %b[%j] : tensor<1000xf32>
    %3 = math.exp %2 : f32
    tkernel.store %1, 0[%i] : f32
    tkernel.store %3, 1[%j] : f32
  }
  return %y#0, %y#1 : tensor<2000xf32>, tensor<1000xf32>
}

// What both have they may share.
// CHECK-LABEL: func.func @shared
// CHECK: grid [{{i[a-z0-9_]*}}]
// CHECK: return
func.func @shared(%x: tensor<2000x1000xf32>) -> (tensor<2000xf32>, tensor<2000x1000xf32>) {
  %y:2 = tkernel.kernel @both (%i : 2000, %j : 1000) reads(%a = %x : tensor<2000x1000xf32>) -> (tensor<2000xf32>, tensor<2000x1000xf32>) {
    %0 = tkernel.load %a[%i, %j] : tensor<2000x1000xf32>
    %1 = tkernel.reduce addf %0 over (%j) : f32
    %2 = math.exp %0 : f32
    tkernel.store %1, 0[%i] : f32
    tkernel.store %2, 1[%i, %j] : f32
  }
  return %y#0, %y#1 : tensor<2000xf32>, tensor<2000x1000xf32>
}
