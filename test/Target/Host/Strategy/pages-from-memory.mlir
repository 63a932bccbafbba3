// RUN: tensor-opt %s --host-print-prices=traits=threads=1 -o /dev/null | FileCheck %s

// What comes from memory waits at each page that no instruction asks for ahead, whoever made it: of 64 MB a third of 350 cycles
// for each 4096 bytes.
// CHECK: "unasked",{{.*}}"memory":10304316
// CHECK: "asked",{{.*}}"memory":8392747
!X = tensor<4096x4096xf32>
!R = tensor<4096xf32>
func.func @main(%x: !X) -> (!R, !R) {
  %0 = tkernel.kernel @unasked (%i : 4096, %j : 4096) reads(%a = %x : !X) -> !R
      attributes {schedule = #tkernel.schedule<[split j = [j_o, j_i 16], grid [i], order [j_o], tile [j_i]]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : !X
    %s = tkernel.reduce addf %v over(%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  %1 = tkernel.kernel @asked (%i : 4096, %j : 4096) reads(%a = %x : !X) -> !R
      attributes {schedule = #tkernel.schedule<[split j = [j_o, j_i 16], grid [i], order [j_o], tile [j_i], prefetch v 2048]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : !X
    %s = tkernel.reduce addf %v over(%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %0, %1 : !R, !R
}
