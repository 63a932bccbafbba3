// Long sums of a matrix unit in parts: a panel of whole sums of 5632 leaves room for two tiles of columns in the second cache,
// and rows would come from the third one for each. Sums of 2048 are whole, in tiles of four blocks whose rows lie 4 KB apart:
// a step reads a line of each row, all of it.
// RUN: tensor-opt %s --host-print-prices=traits=bf16Dot=true,bf16Blocks=true,bf16DotPerCycle=0.5,fmaPerCycle=2,fmaLatency=4,loadsPerCycle=2,storesPerCycle=1,l1Bytes=49152,l1Ways=12,l2Bytes=2097152,l2Ways=16,l2BytesPerCycle=48,l2Latency=15,l3Bytes=62914560,l3BytesPerCycle=8,l3Latency=110,memoryBytesPerCycle=5,memoryLatency=400,missesAtOnce=16,threads=1 -o /dev/null | FileCheck %s
// CHECK: "@long"
// CHECK-SAME: split k = [k_o, k_m {{[0-9]+}}, k_i 2], split n = [n_o, n_m {{[0-9]+}}, n_i 32], split m = [m_o, m_i 32], grid [n_o], order [k_o, m_o, n_m, k_m], tile [k_i, m_i, n_i], stage rhs as (n_o, k_o, n_m, k_m, n_i, k_i) at kernel global, contract k_i dot, keep sum local
// CHECK: "@short"
// CHECK-SAME: split k = [k_o, k_i 2], split n = [n_o, n_m {{[0-9]+}}, n_i 32], split m = [m_o, m_i 32], grid [n_o], order [m_o, n_m, k_o], tile [k_i, m_i, n_i], stage rhs as (n_o, n_m, k_o, n_i, k_i) at kernel global, contract k_i dot]>
!X = tensor<512x5632xbf16>
!W = tensor<2048x5632xbf16>
!Z = tensor<512x2048xbf16>
!V = tensor<2048x2048xbf16>
func.func @main(%x: !X {tgraph.name = "x"}, %z: !Z {tgraph.name = "z"}) -> (!Z {tgraph.name = "y"}, !Z {tgraph.name = "u"}) {
  %w = tgraph.constant #tgraph.file<"weights", 0, 23068672> : !W
  %v = tgraph.constant #tgraph.file<"weights", 23068672, 8388608> : !V
  %y = tkernel.kernel @long (%m : 512, %n : 2048, %k : 5632) reads(%a = %x : !X, %b = %w : !W) -> !Z {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : !X
    %1 = tkernel.load %b[%n, %k] {name = "rhs"} : !W
    %2 = tkernel.contract %0, %1 over (%k) {name = "sum"} : bf16, bf16 -> f32
    %3 = arith.truncf %2 : f32 to bf16
    tkernel.store %3, 0[%m, %n] : bf16
  }
  %u = tkernel.kernel @short (%m : 512, %n : 2048, %k : 2048) reads(%a = %z : !Z, %b = %v : !V) -> !Z {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : !Z
    %1 = tkernel.load %b[%n, %k] {name = "rhs"} : !V
    %2 = tkernel.contract %0, %1 over (%k) {name = "sum"} : bf16, bf16 -> f32
    %3 = arith.truncf %2 : f32 to bf16
    tkernel.store %3, 0[%m, %n] : bf16
  }
  return %y, %u : !Z, !Z
}
