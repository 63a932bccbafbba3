// RUN: tensor-opt %s "--host-print-prices=traits=lanes=16,threads=1,bf16Dot=true" -o /dev/null | FileCheck %s

// A pair of bf16 is one lane of the dot product that sums it; another product that stores both of its elements has sums of
// 32 bits for each of them. They were counted once (5.0 thousand cycles).
// CHECK: "core":{{7[0-9][0-9][0-9][.]}}
!X = tensor<8x64xbf16>
!W = tensor<64x64xbf16>
!Y = tensor<8x64xbf16>
func.func @main(%x: !X, %w: !W, %y: !Y) -> (tensor<8x64xf32>, tensor<64x64xf32>) {
  %0:2 = tkernel.kernel @both (%i : 8, %k : 64, %j : 64) reads(%a = %x : !X, %b = %w : !W, %c = %y : !Y) -> (tensor<8x64xf32>, tensor<64x64xf32>)
      attributes {schedule = #tkernel.schedule<[split k = [k_o, k_i 2], split j = [j_o, j_i 16], order [j_o, k_o], tile [k_i, i, j_i], contract k_i dot]>} {
    %u = tkernel.load %a[%i, %k] : !X
    %v = tkernel.load %b[%k, %j] : !W
    %s = tkernel.contract %u, %v over (%k) : bf16, bf16 -> f32
    %z = tkernel.load %c[%i, %j] : !Y
    %t = tkernel.contract %u, %z over (%i) : bf16, bf16 -> f32
    tkernel.store %s, 0[%i, %j] : f32
    tkernel.store %t, 1[%k, %j] : f32
  }
  return %0#0, %0#1 : tensor<8x64xf32>, tensor<64x64xf32>
}
