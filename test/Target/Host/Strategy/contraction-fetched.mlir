// RUN: tensor-opt %s --kernel-schedule=traits=lanes=16,registers=32,threads=1 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tensor-run %t.mlir --compare=interpreter --quiet

// What an update reads beside the derivative that it takes is as large as a result and far away: a tile of rows fetches that
// of the next one while it is summed, and what nothing in the call reads is written past the caches. What is near, or where few steps are summed, is not fetched.
// CHECK-LABEL: @update
// CHECK-SAME: order [{{.*}}i_b, c], tile [i_r, j_l], {{.*}}prefetch [[M:[a-z0-9_]+]]
// CHECK-SAME: stream 0
// CHECK: tkernel.load {{.*}}[%i, %j] {name = "[[M]]"}
// CHECK-LABEL: @near
// CHECK-NOT: prefetch
func.func @main(%m: tensor<512x1024xf32>, %g: tensor<64x512xf32>, %x: tensor<64x1024xf32>, %n: tensor<64x96xf32>, %h: tensor<64x64xf32>, %y: tensor<64x96xf32>) -> (tensor<512x1024xf32>, tensor<64x96xf32>) {
  %0 = tkernel.kernel @update (%i : 512, %j : 1024, %c : 64) reads(%a = %m : tensor<512x1024xf32>, %b = %g : tensor<64x512xf32>, %d = %x : tensor<64x1024xf32>) -> tensor<512x1024xf32> {
    %1 = tkernel.load %a[%i, %j] : tensor<512x1024xf32>
    %2 = tkernel.load %b[%c, %i] : tensor<64x512xf32>
    %3 = tkernel.load %d[%c, %j] : tensor<64x1024xf32>
    %4 = tkernel.contract %2, %3 over (%c) : f32
    %5 = arith.addf %1, %4 : f32
    tkernel.store %5, 0[%i, %j] : f32
  }
  %6 = tkernel.kernel @near (%i : 64, %j : 96, %c : 64) reads(%a = %n : tensor<64x96xf32>, %b = %h : tensor<64x64xf32>, %d = %y : tensor<64x96xf32>) -> tensor<64x96xf32> {
    %1 = tkernel.load %a[%i, %j] : tensor<64x96xf32>
    %2 = tkernel.load %b[%c, %i] : tensor<64x64xf32>
    %3 = tkernel.load %d[%c, %j] : tensor<64x96xf32>
    %4 = tkernel.contract %2, %3 over (%c) : f32
    %5 = arith.addf %1, %4 : f32
    tkernel.store %5, 0[%i, %j] : f32
  }
  return %0, %6 : tensor<512x1024xf32>, tensor<64x96xf32>
}
