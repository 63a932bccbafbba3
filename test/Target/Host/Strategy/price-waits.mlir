// A program's columns of the left operand, 80 of 197, take 1.2 MB: the first tile of rows brings them from the third cache, the
// other six find them in the second one. That tile waits for what it does not compute meanwhile. Where all columns are 80, they
// stay there from one program to the next, and nothing waits.
// RUN: tensor-opt %s --host-print-prices=traits=l1Bytes=49152,l1Ways=12,l2Bytes=2097152,l2Ways=16,l3BytesPerCycle=8,fmaPerCycle=2,threads=1 -o /dev/null | FileCheck %s
// CHECK: "first",{{.*}}"waits":{{1[0-9][0-9][0-9][0-9][0-9][0-9]}}
// CHECK: "kept",{{.*}}"waits":0,
!A = tensor<3072x197xf32>
!W = tensor<22x3072x35xf32>
!C = tensor<197x22x35xf32>
!B = tensor<3072x80xf32>
!D = tensor<80x22x35xf32>
func.func @main(%all: !A, %few: !B, %w: !W) -> (!C, !D) {
  %c = tkernel.kernel @first (%y : 197, %o : 22, %z : 35, %x : 3072) reads(%a = %all : !A, %b = %w : !W) -> !C
      attributes {schedule = #tkernel.schedule<[split z = [z_b, z_r 5], split y = [y_o, y_l 80], grid [o], order [y_o, z_b, x], tile [z_r, y_l], edge y peel]>} {
    %0 = tkernel.load %a[%x, %y] : !A
    %1 = tkernel.load %b[%o, %x, %z] : !W
    %2 = tkernel.contract %0, %1 over (%x) : f32, f32 -> f32
    tkernel.store %2, 0[%y, %o, %z] : f32
  }
  %d = tkernel.kernel @kept (%y : 80, %o : 22, %z : 35, %x : 3072) reads(%a = %few : !B, %b = %w : !W) -> !D
      attributes {schedule = #tkernel.schedule<[split z = [z_b, z_r 5], grid [o], order [z_b, x], tile [z_r, y]]>} {
    %0 = tkernel.load %a[%x, %y] : !B
    %1 = tkernel.load %b[%o, %x, %z] : !W
    %2 = tkernel.contract %0, %1 over (%x) : f32, f32 -> f32
    tkernel.store %2, 0[%y, %o, %z] : f32
  }
  return %c, %d : !C, !D
}
