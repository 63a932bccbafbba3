// RUN: tensor-opt %s --host-print-prices -o /dev/null | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet
// RUN: tensor-run %s --compare=interpreter --quiet --target=host:x86-64-v3

// Where a result has the points of a short axis between those of the lanes, as phases of a transposed convolution have,
// tiles hold that axis whole, between rows and lanes; the weights, made once for all calls, are packed so.
// CHECK: "kernel":"@phases"{{.*}} tile [j_r, l1, q], stage input as ({{.*}}, c, j_r, l1) at kernel global
// CHECK: "kernel":"@four"{{.*}} tile [j_r, l1, q{{[_a-z]*}}]
// CHECK: "kernel":"@alone"{{.*}} tile [l1, q{{[_a-z]*}}]
func.func @main(%x: tensor<24x9x32xf32>, %z: tensor<24x48xf32>) -> (tensor<20x18x64xf32>, tensor<20x192xf32>, tensor<96xf32>) {
  %w = tgraph.constant dense<0.5> : tensor<80x24xf32>
  %v = tkernel.kernel @made (%j : 80, %c : 24) reads(%in = %w : tensor<80x24xf32>) -> tensor<80x24xf32> {
    %0 = tkernel.load %in[%j, %c] : tensor<80x24xf32>
    %1 = tkernel.load %in[79 - %j, 23 - %c] : tensor<80x24xf32>
    %2 = arith.mulf %0, %1 : f32
    tkernel.store %2, 0[%j, %c] : f32
  }
  %y = tkernel.kernel @phases (%j : 20, %p : 9, %k1 : 2, %q : 32, %l1 : 2, %c : 24) reads(%in = %x : tensor<24x9x32xf32>, %weights = %v : tensor<80x24xf32>) -> tensor<20x18x64xf32> {
    %0 = tkernel.load %in[%c, %p, %q] : tensor<24x9x32xf32>
    %1 = tkernel.load %weights[%j + %k1 * 40 + %l1 * 20, %c] : tensor<80x24xf32>
    %2 = tkernel.contract %0, %1 over (%c) : f32
    tkernel.store %2, 0[%j, %k1 + %p * 2, %l1 + %q * 2] : f32
  }
  %u = tkernel.kernel @four (%j : 20, %q : 48, %l1 : 4, %c : 24) reads(%in = %z : tensor<24x48xf32>, %weights = %v : tensor<80x24xf32>) -> tensor<20x192xf32> {
    %0 = tkernel.load %in[%c, %q] : tensor<24x48xf32>
    %1 = tkernel.load %weights[%j + %l1 * 20, %c] : tensor<80x24xf32>
    %2 = tkernel.contract %0, %1 over (%c) : f32
    tkernel.store %2, 0[%j, %l1 + %q * 4] : f32
  }
  %t = tkernel.kernel @alone (%q : 48, %l1 : 2, %c : 24) reads(%in = %z : tensor<24x48xf32>, %weights = %v : tensor<80x24xf32>) -> tensor<96xf32> {
    %0 = tkernel.load %in[%c, %q] : tensor<24x48xf32>
    %1 = tkernel.load %weights[%l1, %c] : tensor<80x24xf32>
    %2 = tkernel.contract %0, %1 over (%c) : f32
    tkernel.store %2, 0[%l1 + %q * 2] : f32
  }
  return %y, %u, %t : tensor<20x18x64xf32>, tensor<20x192xf32>, tensor<96xf32>
}
