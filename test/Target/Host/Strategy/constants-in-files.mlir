// RUN: tensor-opt %s --host-print-prices=traits=threads=1 -o /dev/null | FileCheck %s

// Files give data any alignment: vectors of theirs cross lines, and take two loads. What a module holds begins where lines do.
// CHECK: "held",{{.*}}"core":38761
// CHECK: "filed",{{.*}}"core":73321
!X = tensor<768xf32>
!W = tensor<768x768xf32>
func.func @main(%x: !X) -> (!X, !X) {
  %h = tgraph.constant dense<0.5> : !W
  %w = tgraph.constant #tgraph.file<"weights", 4, 2359296> : !W
  %0 = tkernel.kernel @held (%z : 768, %k : 768) reads(%a = %x : !X, %b = %h : !W) -> !X
      attributes {schedule = #tkernel.schedule<[split z = [z_o, z_l 192], grid [z_o], order [k], tile [z_l]]>} {
    %l = tkernel.load %a[%k] : !X
    %v = tkernel.load %b[%k, %z] : !W
    %p = tkernel.contract %l, %v over(%k) : f32
    tkernel.store %p, 0[%z] : f32
  }
  %1 = tkernel.kernel @filed (%z : 768, %k : 768) reads(%a = %x : !X, %b = %w : !W) -> !X
      attributes {schedule = #tkernel.schedule<[split z = [z_o, z_l 192], grid [z_o], order [k], tile [z_l]]>} {
    %l = tkernel.load %a[%k] : !X
    %v = tkernel.load %b[%k, %z] : !W
    %p = tkernel.contract %l, %v over(%k) : f32
    tkernel.store %p, 0[%z] : f32
  }
  return %0, %1 : !X, !X
}
