// Channels of the result that do not fill vectors are filled up to whole ones, and what is read by channels behind the sums, a bias,
// ends where it ends. Numbers are the interpreter's.
// RUN: tensor-opt %s --host-print-prices=traits=bf16Dot=true -o /dev/null | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --max-error=2e-6 --quiet
// RUN: tensor-run %s --target=host:x86-64-v3 --compare=interpreter --max-error=2e-6 --quiet

func.func @main(%x: tensor<2x17x13x31xf32>, %w: tensor<17x17x3x3xf32>, %b: tensor<17xf32>, %xh: tensor<1x17x13x31xbf16>, %wh: tensor<37x17x3x3xbf16>, %bh: tensor<37xf32>) -> (tensor<2x17x13x31xf32>, tensor<1x37x13x31xf32>) {
  // CHECK-LABEL: @floats
  // CHECK: split f = [f_o, f_l 32]
  // CHECK-SAME: edge f pad
  %y = tkernel.kernel @floats (%n : 2, %f : 17, %p : 13, %q : 31, %c : 17, %r : 3, %s : 3) reads(%in = %x : tensor<2x17x13x31xf32>, %weights = %w : tensor<17x17x3x3xf32>, %bias = %b : tensor<17xf32>) -> tensor<2x17x13x31xf32> {
    %0 = tkernel.load %in[%n, %c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<2x17x13x31xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] : tensor<17x17x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    %3 = tkernel.load %bias[%f] : tensor<17xf32>
    %4 = arith.addf %2, %3 : f32
    %zero = arith.constant 0.0 : f32
    %5 = arith.maximumf %4, %zero : f32
    tkernel.store %5, 0[%n, %f, %p, %q] : f32
  }
  // CHECK-LABEL: @groups
  // CHECK: split f = [f_o, f_l 48]
  // CHECK-SAME: contract c_g dot
  // CHECK-SAME: edge f pad
  %z = tkernel.kernel @groups (%n : 1, %f : 37, %p : 13, %q : 31, %c : 17, %r : 3, %s : 3) reads(%in = %xh : tensor<1x17x13x31xbf16>, %weights = %wh : tensor<37x17x3x3xbf16>, %bias = %bh : tensor<37xf32>) -> tensor<1x37x13x31xf32> {
    %0 = tkernel.load %in[%n, %c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<1x17x13x31xbf16>
    %1 = tkernel.load %weights[%f, %c, %r, %s] : tensor<37x17x3x3xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : bf16, bf16 -> f32
    %3 = tkernel.load %bias[%f] : tensor<37xf32>
    %4 = arith.addf %2, %3 : f32
    %zero = arith.constant 0.0 : f32
    %5 = arith.maximumf %4, %zero : f32
    tkernel.store %5, 0[%n, %f, %p, %q] : f32
  }
  return %y, %z : tensor<2x17x13x31xf32>, tensor<1x37x13x31xf32>
}
