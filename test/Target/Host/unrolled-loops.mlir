// Loops over tiles are unrolled fully up to eight iterations; beyond, their bodies are code enough.
// RUN: tensor-translate --emit=assembly --target=host:x86-64-v3 %s | FileCheck %s

// CHECK-LABEL: short:
// CHECK-COUNT-16: vcmpnleps
// CHECK-NOT: vcmpnleps
// CHECK-LABEL: long:
// CHECK-COUNT-6: vcmpnleps
// CHECK-NOT: vcmpnleps
!S = tensor<8x16xf32>
!L = tensor<9x16xf32>
func.func @main(%x: !S, %z: !L) -> (!S, !L) {
  %s = tkernel.kernel @short (%i : 8, %j : 16) reads(%a = %x : !S) -> !S attributes {schedule = #tkernel.schedule<[order [i], tile [j]]>} {
    %zero = arith.constant 0.0 : f32
    %0 = tkernel.load %a[%i, %j] : !S
    %1 = arith.maximumf %0, %zero : f32
    tkernel.store %1, 0[%i, %j] : f32
  }
  %l = tkernel.kernel @long (%i : 9, %j : 16) reads(%a = %z : !L) -> !L attributes {schedule = #tkernel.schedule<[order [i], tile [j]]>} {
    %zero = arith.constant 0.0 : f32
    %0 = tkernel.load %a[%i, %j] : !L
    %1 = arith.maximumf %0, %zero : f32
    tkernel.store %1, 0[%i, %j] : f32
  }
  return %s, %l : !S, !L
}
