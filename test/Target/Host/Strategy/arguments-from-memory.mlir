// RUN: tensor-opt %s --host-print-prices=traits=l3Bytes=33554432,threads=1 -o /dev/null | FileCheck %s

// An argument that the rest of a call puts out of the caches comes from memory, and eight lines wait of each row that is read in turn
// with others and of each page; where the rest has room beside it, it stays near. Whole rows are one run.
// CHECK: "turns",{{.*}}"memory":599
// CHECK: "whole",{{.*}}"memory":242
// CHECK: "near",{{.*}}"memory":0}
!Q = tensor<12x64xf32>
!K = tensor<12x512x64xf32>
!C = tensor<12x512xf32>
func.func @main(%q: !Q, %k: !K) -> (!C, !C, !C) {
  %y0 = tkernel.kernel @turns (%b : 12, %z : 512, %h : 64) reads(%l = %q : !Q, %r = %k : !K) -> !C
      attributes {schedule = #tkernel.schedule<[split z = [z_o, z_r 15], split h = [h_o, h_l 16], grid [b], order [z_o, h_o], tile [z_r, h_l], edge z peel]>} {
    %0 = tkernel.load %l[%b, %h] : !Q
    %1 = tkernel.load %r[%b, %z, %h] {tkernel.between = 100000000 : i64} : !K
    %2 = tkernel.contract %0, %1 over(%h) : f32
    tkernel.store %2, 0[%b, %z] : f32
  }
  %y1 = tkernel.kernel @whole (%b : 12, %z : 512, %h : 64) reads(%l = %q : !Q, %r = %k : !K) -> !C
      attributes {schedule = #tkernel.schedule<[split z = [z_o, z_r 4], grid [b], order [z_o], tile [z_r, h]]>} {
    %0 = tkernel.load %l[%b, %h] : !Q
    %1 = tkernel.load %r[%b, %z, %h] {tkernel.between = 100000000 : i64} : !K
    %2 = tkernel.contract %0, %1 over(%h) : f32
    tkernel.store %2, 0[%b, %z] : f32
  }
  %y2 = tkernel.kernel @near (%b : 12, %z : 512, %h : 64) reads(%l = %q : !Q, %r = %k : !K) -> !C
      attributes {schedule = #tkernel.schedule<[split z = [z_o, z_r 15], split h = [h_o, h_l 16], grid [b], order [z_o, h_o], tile [z_r, h_l], edge z peel]>} {
    %0 = tkernel.load %l[%b, %h] : !Q
    %1 = tkernel.load %r[%b, %z, %h] {tkernel.between = 1000000 : i64} : !K
    %2 = tkernel.contract %0, %1 over(%h) : f32
    tkernel.store %2, 0[%b, %z] : f32
  }
  return %y0, %y1, %y2 : !C, !C, !C
}
