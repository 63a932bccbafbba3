// RUN: tensor-opt %s --host-print-prices=traits=threads=1,bf16Dot=true -o /dev/null | FileCheck %s

// The last program of a grid is a side of a branch where its tiles are others. What the sides touch comes for both, as each runs for
// its share of the programs: 67 MB at 8 bytes a cycle, and eight lines of each run of 960 bytes and of each page.
// CHECK: "kernel":"sides",{{.*}}"memory":160
func.func @main(%x: tensor<4096xf32>, %w: tensor<4096x4100xf32>) -> tensor<4100xf32> {
  %0 = tkernel.kernel @sides (%z : 4100, %k : 4096) reads(%a = %x : tensor<4096xf32>, %b = %w : tensor<4096x4100xf32>) -> tensor<4100xf32>
      attributes {schedule = #tkernel.schedule<[split z = [z_o, z_b 5, z_l 240], grid [z_o], order [z_b, k], tile [z_l], edge z peel]>} {
    %l = tkernel.load %a[%k] : tensor<4096xf32>
    %v = tkernel.load %b[%k, %z] : tensor<4096x4100xf32>
    %p = tkernel.contract %l, %v over(%k) : f32
    tkernel.store %p, 0[%z] : f32
  }
  return %0 : tensor<4100xf32>
}

// One row by a constant of bf16 is bound by reading it: its panel is fetched ahead.
// CHECK: "@row","kernel":"@kernel","strategy":"dots",{{.*}}stage w as ({{[^)]*}}) at kernel global, prefetch w 4096, contract k_i dot
func.func @row(%x: tensor<1x2048xbf16>) -> tensor<1x32000xf32> {
  %w = tgraph.constant dense<1.0> : tensor<32000x2048xbf16>
  %y = tkernel.kernel (%n : 32000, %k : 2048) reads(%a = %x : tensor<1x2048xbf16>, %b = %w : tensor<32000x2048xbf16>) -> tensor<1x32000xf32> {
    %0 = tkernel.load %a[0, %k] : tensor<1x2048xbf16>
    %1 = tkernel.load %b[%n, %k] {name = "w"} : tensor<32000x2048xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[0, %n] : f32
  }
  return %y : tensor<1x32000xf32>
}
