// RUN: tensor-opt %s "--host-print-prices=traits=l3Bytes=33554432,threads=1" -o /dev/null | FileCheck %s
// RUN: tensor-opt %s "--kernel-schedule=traits=l3Bytes=33554432,threads=1" | FileCheck %s --check-prefix=CHOSEN

// What is stored past the caches takes no room there: the matrix that is read stays in the third level, so that memory
// takes the 2048 x 2048 stores alone, 2.1 million cycles at 8 bytes each, and half of what it waits for at each of their runs.
// CHECK: "kept",{{.*}}"memory":{{2[0-9][0-9][0-9][0-9][0-9][0-9][.]}}
// Stores in pieces of a line pay for each of them.
// CHECK: "pieces",{{.*}}"memory":{{[34][0-9][0-9][0-9][0-9][0-9][0-9][.]}}
// Where the other matrix comes from memory too, programs take squares of it.
// CHOSEN: @large {{.*}}[split j = [j_o, j_m 4, j_i 16], split i = [i_o, i_m 4, i_i 16], grid [j_o, i_o], order [j_m, i_m], tile [j_i, i_i], stream 0]
!X = tensor<2048x2048xf32>
!L = tensor<4096x4096xf32>
func.func @main(%x: !X, %l: !L) -> (!X, !X, !L) {
  %0 = tkernel.kernel @kept (%i : 2048, %j : 2048) reads(%a = %x : !X) -> !X
      attributes {schedule = #tkernel.schedule<[split j = [j_o, j_m 4, j_i 16], split i = [i_o, i_m 4, i_i 16], grid [j_o, i_o], order [j_m, i_m], tile [j_i, i_i], stream 0]>} {
    %v = tkernel.load %a[%i, %j] : !X
    tkernel.store %v, 0[%j, %i] : f32
  }
  %1 = tkernel.kernel @pieces (%i : 2048, %j : 2048) reads(%a = %x : !X) -> !X
      attributes {schedule = #tkernel.schedule<[split j = [j_o, j_m 4, j_i 16], split i = [i_o, i_m 4, i_i 16], grid [j_o, i_o], order [i_m, j_m], tile [j_i, i_i], stream 0]>} {
    %v = tkernel.load %a[%i, %j] : !X
    tkernel.store %v, 0[%j, %i] : f32
  }
  %2 = tkernel.kernel @large (%i : 4096, %j : 4096) reads(%a = %l : !L) -> !L {
    %v = tkernel.load %a[%i, %j] : !L
    tkernel.store %v, 0[%j, %i] : f32
  }
  return %0, %1, %2 : !X, !X, !L
}
