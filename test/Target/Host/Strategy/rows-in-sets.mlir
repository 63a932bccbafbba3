// RUN: tensor-opt %s --host-print-prices -o /dev/null | FileCheck %s

// 1,024 rows of 8 KiB fall into as few sets of a cache where two axes go through them as where one does: they are brought
// again as often.
// CHECK: "one",{{.*}}"L3":[[L3:[0-9.]+]],
// CHECK: "two",{{.*}}"L3":[[L3]],
!M = tensor<1024x2048xf32>
!R = tensor<128x8x2048xf32>
!N = tensor<1024x512xf32>
!S = tensor<128x8x512xf32>
!D = tensor<2048x512xf32>
func.func @main(%x: !M, %y: !N, %r: !R, %s: !S) -> (!D, !D) {
  %0 = tkernel.kernel @one (%m : 2048, %n : 512, %k : 1024) reads(%a = %x : !M, %b = %y : !N) -> !D
      attributes {schedule = #tkernel.schedule<[split m = [m_o, m_b 16, m_r 8], split n = [n_o, n_l 32], grid [m_o], order [n_o, m_b, k], tile [m_r, n_l]]>} {
    %l = tkernel.load %a[%k, %m] : !M
    %v = tkernel.load %b[%k, %n] : !N
    %p = tkernel.contract %l, %v over(%k) : f32
    tkernel.store %p, 0[%m, %n] : f32
  }
  %1 = tkernel.kernel @two (%m : 2048, %n : 512, %c : 128, %d : 8) reads(%a = %r : !R, %b = %s : !S) -> !D
      attributes {schedule = #tkernel.schedule<[split m = [m_o, m_b 16, m_r 8], split n = [n_o, n_l 32], grid [m_o], order [n_o, m_b, c, d], tile [m_r, n_l]]>} {
    %l = tkernel.load %a[%c, %d, %m] : !R
    %v = tkernel.load %b[%c, %d, %n] : !S
    %p = tkernel.contract %l, %v over(%c, %d) : f32
    tkernel.store %p, 0[%m, %n] : f32
  }
  return %0, %1 : !D, !D
}
