// RUN: tensor-opt %s --host-print-prices=traits=threads=1 -o /dev/null | FileCheck %s

// What other kernels have put out of the caches is read once, by the loops of all tiles together, also where the last tile of
// each row is smaller: 2.4 MB at 8 bytes a cycle, and the first line of each run. Eight lines of each run of 768 or 960 bytes, and of each page, are waited for where no instruction asks for them ahead. In a loop the
// iteration before has read it.
// CHECK: "edged",{{.*}}"memory":71
// CHECK: "even",{{.*}}"memory":72
// CHECK: "asked",{{.*}}"memory":33
// CHECK: "repeated",{{.*}}"memory":0}
!X = tensor<768xf32>
!W = tensor<768x768xf32>
func.func @main(%x: !X) -> (!X, !X, !X, !X) {
  %w = tgraph.constant dense<0.5> : !W
  %0 = tkernel.kernel @edged (%z : 768, %k : 768) reads(%a = %x : !X, %b = %w : !W) -> !X
      attributes {schedule = #tkernel.schedule<[split z = [z_o, z_l 240], grid [z_o], order [k], tile [z_l], edge z peel]>} {
    %l = tkernel.load %a[%k] : !X
    %v = tkernel.load %b[%k, %z] : !W
    %p = tkernel.contract %l, %v over(%k) : f32
    tkernel.store %p, 0[%z] : f32
  }
  %1 = tkernel.kernel @even (%z : 768, %k : 768) reads(%a = %x : !X, %b = %w : !W) -> !X
      attributes {schedule = #tkernel.schedule<[split z = [z_o, z_l 192], grid [z_o], order [k], tile [z_l]]>} {
    %l = tkernel.load %a[%k] : !X
    %v = tkernel.load %b[%k, %z] : !W
    %p = tkernel.contract %l, %v over(%k) : f32
    tkernel.store %p, 0[%z] : f32
  }
  %2 = tkernel.kernel @asked (%z : 768, %k : 768) reads(%a = %x : !X, %b = %w : !W) -> !X
      attributes {schedule = #tkernel.schedule<[split z = [z_o, z_l 192], grid [z_o], order [k], tile [z_l], prefetch w 2048]>} {
    %l = tkernel.load %a[%k] : !X
    %v = tkernel.load %b[%k, %z] {name = "w"} : !W
    %p = tkernel.contract %l, %v over(%k) : f32
    tkernel.store %p, 0[%z] : f32
  }
  %3 = tkernel.kernel @repeated (%z : 768, %k : 768) reads(%a = %x : !X, %b = %w : !W) -> !X
      attributes {schedule = #tkernel.schedule<[split z = [z_o, z_l 240], grid [z_o], order [k], tile [z_l], edge z peel]>, tkernel.repeated} {
    %l = tkernel.load %a[%k] : !X
    %v = tkernel.load %b[%k, %z] : !W
    %p = tkernel.contract %l, %v over(%k) : f32
    tkernel.store %p, 0[%z] : f32
  }
  return %0, %1, %2, %3 : !X, !X, !X, !X
}
