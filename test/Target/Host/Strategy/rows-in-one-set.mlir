// RUN: tensor-opt %s --host-print-prices -o /dev/null | FileCheck %s

// Fourteen rows 4 KiB apart begin in one set of eight lines, so each step brings the lines again that the one before had: as
// much from the second level as fourteen lines of each step. Where rows are a line longer each line comes once.
// CHECK: "together",{{.*}}"L2":{{1[0-9][0-9][0-9][0-9][0-9][0-9][.]}}
// CHECK: "apart",{{.*}}"L2":{{[5-9][0-9][0-9][0-9][0-9][0-9][0-9][.]}}
!X = tensor<896x1040xf32>
!Y = tensor<896x1024xf32>
!W = tensor<1024x256xf32>
!R = tensor<896x256xf32>
func.func @main(%x: !X, %y: !Y, %w: !W) -> (!R, !R) {
  %0 = tkernel.kernel @together (%m : 896, %n : 256, %k : 1024) reads(%a = %x : !X, %b = %w : !W) -> !R
      attributes {schedule = #tkernel.schedule<[split m = [m_o, m_b 8, m_r 14], split n = [n_o, n_l 32], grid [m_o], order [n_o, m_b, k], tile [m_r, n_l]]>} {
    %l = tkernel.load %a[%m, %k] : !X
    %v = tkernel.load %b[%k, %n] : !W
    %p = tkernel.contract %l, %v over(%k) : f32
    tkernel.store %p, 0[%m, %n] : f32
  }
  %1 = tkernel.kernel @apart (%m : 896, %n : 256, %k : 1024) reads(%a = %y : !Y, %b = %w : !W) -> !R
      attributes {schedule = #tkernel.schedule<[split m = [m_o, m_b 8, m_r 14], split n = [n_o, n_l 32], grid [m_o], order [n_o, m_b, k], tile [m_r, n_l]]>} {
    %l = tkernel.load %a[%m, %k] : !Y
    %v = tkernel.load %b[%k, %n] : !W
    %p = tkernel.contract %l, %v over(%k) : f32
    tkernel.store %p, 0[%m, %n] : f32
  }
  return %0, %1 : !R, !R
}
