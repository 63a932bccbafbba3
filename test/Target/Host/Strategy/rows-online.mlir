// RUN: tensor-opt %s --kernel-schedule="traits=lanes=16,registers=32" --split-input-file | FileCheck %s
// RUN: tensor-opt %s --kernel-schedule="traits=lanes=16,registers=32 deterministic=true" --split-input-file | FileCheck %s --check-prefix=EXACT

// A row that the second level does not hold is read once for its mean and its variance, and once more for what is
// computed of them.
// CHECK-LABEL: @norm
// CHECK: split j = [j_o, j_m {{[0-9]+}}, j_i 64]
// CHECK-SAME: order [j_o, j_m]
// CHECK-SAME: tile [j_i]
// CHECK-SAME: online j_o
// EXACT-LABEL: @norm
// EXACT-NOT: online
func.func @norm(%x: tensor<8x1048576xf32>) -> tensor<8x1048576xf32> {
  %y = tkernel.kernel (%i : 8, %j : 1048576) reads(%a = %x : tensor<8x1048576xf32>) -> tensor<8x1048576xf32> {
    %count = arith.constant 1048576.0 : f32
    %v = tkernel.load %a[%i, %j] : tensor<8x1048576xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %mean = arith.divf %s, %count : f32
    %d = arith.subf %v, %mean : f32
    %q = arith.mulf %d, %d : f32
    %r = tkernel.reduce addf %q over (%j) : f32
    %z = arith.divf %d, %r : f32
    tkernel.store %z, 0[%i, %j] : f32
  }
  return %y : tensor<8x1048576xf32>
}

// -----

// A short one stays near, where sums need no corrections.
// CHECK-LABEL: @short
// CHECK-NOT: online
// EXACT-LABEL: @short
// EXACT-NOT: online
func.func @short(%x: tensor<64x4096xf32>) -> tensor<64xf32> {
  %y = tkernel.kernel (%i : 64, %j : 4096) reads(%a = %x : tensor<64x4096xf32>) -> tensor<64xf32> {
    %count = arith.constant 4096.0 : f32
    %v = tkernel.load %a[%i, %j] : tensor<64x4096xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %mean = arith.divf %s, %count : f32
    %d = arith.subf %v, %mean : f32
    %q = arith.mulf %d, %d : f32
    %r = tkernel.reduce addf %q over (%j) : f32
    tkernel.store %r, 0[%i] : f32
  }
  return %y : tensor<64xf32>
}
