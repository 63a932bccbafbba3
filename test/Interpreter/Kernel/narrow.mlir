// bf16 and f16: exact products, sums in f32; bytes of either sign.
// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --kernel-schedule --kernel-stage-global --kernel-to-launch --kernel-to-tile --interpret -o /dev/null | FileCheck %s

func.func @main() -> (tensor<2xf32>, tensor<2xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<6xf16>, tensor<6xbf16>, tensor<4xbf16>) {
  // 256 + 1 + 1 + 1 is lost in bf16 and kept in f32; so is 255 * 255.
  %x = tgraph.constant dense<[[256.0, 1.0, 1.0, 1.0], [255.0, 0.0, 0.0, 0.0]]> : tensor<2x4xbf16>
  %y = tgraph.constant dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xbf16>
  // CHECK: result 0 : tensor<2xf32> = 259 255
  %sums = tkernel.kernel (%i : 2, %k : 4) reads(%a = %x : tensor<2x4xbf16>, %b = %y : tensor<4xbf16>) -> tensor<2xf32> {
    %0 = tkernel.load %a[%i, %k] : tensor<2x4xbf16>
    %1 = tkernel.load %b[%k] : tensor<4xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%i] : f32
  }
  // CHECK: result 1 : tensor<2xbf16> = 260 255
  %rounded = tkernel.kernel (%i : 2) reads(%a = %sums : tensor<2xf32>) -> tensor<2xbf16> {
    %0 = tkernel.load %a[%i] : tensor<2xf32>
    %1 = arith.truncf %0 : f32 to bf16
    tkernel.store %1, 0[%i] : bf16
  }
  %u = tgraph.constant dense<[255, 128]> : tensor<2xui8>
  %s = tgraph.constant dense<[-128, 1]> : tensor<2xi8>
  // CHECK: result 2 : tensor<i32> = -32512
  // CHECK: result 3 : tensor<i32> = 0
  // CHECK: result 4 : tensor<i32> = 81409
  %bytes:3 = tkernel.kernel (%k : 2) reads(%a = %u : tensor<2xui8>, %b = %s : tensor<2xi8>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
    %0 = tkernel.load %a[%k] : tensor<2xui8>
    %1 = tkernel.load %b[%k] : tensor<2xi8>
    %2 = tkernel.contract %0, %1 over (%k) lhs_unsigned : i8, i8 -> i32
    %3 = tkernel.contract %0, %1 over (%k) : i8, i8 -> i32
    %4 = tkernel.contract %0, %0 over (%k) lhs_unsigned rhs_unsigned : i8, i8 -> i32
    tkernel.store %2, 0[] : i32
    tkernel.store %3, 1[] : i32
    tkernel.store %4, 2[] : i32
  }
  // Ties to even, overflow, a denormal and half of it.
  %wide = tgraph.constant dense<[2049.0, 2051.0, 65519.0, 65520.0, 5.9604645e-8, 2.9802322e-8]> : tensor<6xf32>
  // CHECK: result 5 : tensor<6xf16> = 2048 2052 6.55e+04 inf 5.96e-08 0
  %f16 = tkernel.kernel (%i : 6) reads(%a = %wide : tensor<6xf32>) -> tensor<6xf16> {
    %0 = tkernel.load %a[%i] : tensor<6xf32>
    %1 = arith.truncf %0 : f32 to f16
    tkernel.store %1, 0[%i] : f16
  }
  // One rounding from f64: by way of f32 the second would be 1.
  %double = tgraph.constant dense<[1.00390625, 1.00390625000001, 1.01171875, 3.4e38, 0xFFF8000000000000, 1.0e-40]> : tensor<6xf64>
  // CHECK: result 6 : tensor<6xbf16> = 1 1.008 1.016 inf nan 9.184e-41
  %bf16 = tkernel.kernel (%i : 6) reads(%a = %double : tensor<6xf64>) -> tensor<6xbf16> {
    %0 = tkernel.load %a[%i] : tensor<6xf64>
    %1 = arith.truncf %0 : f64 to bf16
    tkernel.store %1, 0[%i] : bf16
  }
  // What a kernel computes in bf16 is computed in f32 and rounded.
  // CHECK: result 7 : tensor<4xbf16> = 512 2 2 2
  %own = tkernel.kernel (%k : 4) reads(%a = %x : tensor<2x4xbf16>) -> tensor<4xbf16> {
    %0 = tkernel.load %a[0, %k] : tensor<2x4xbf16>
    %1 = arith.addf %0, %0 : bf16
    tkernel.store %1, 0[%k] : bf16
  }
  return %sums, %rounded, %bytes#0, %bytes#1, %bytes#2, %f16, %bf16, %own : tensor<2xf32>, tensor<2xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<6xf16>, tensor<6xbf16>, tensor<4xbf16>
}
