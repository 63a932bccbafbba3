// RUN: tensor-opt %s "--kernel-schedule=traits=lanes=16,registers=32,threads=1,l2Bytes=65536,l3BytesPerCycle=4" | FileCheck %s
// RUN: tensor-opt %s --kernel-schedule | FileCheck %s --check-prefix=LARGE
// RUN: tensor-opt %s "--kernel-schedule=traits=lanes=16,registers=32,threads=1,l2Bytes=65536,l3BytesPerCycle=4" -o %t.mlir && tensor-run %t.mlir --compare=interpreter --quiet

// Weights of a tile that the second level has no room for: all pixels of a program take a part of the channels of the
// input, and sums wait in memory of the program.
// CHECK: @deep{{.*}} split c = [c_o, c_i {{[0-9]+}}], {{.*}} order [{{.*}}c_o, p, {{.*}}c_i, r, s], {{.*}} stage weights as ({{.*}}c_o, c_i, r, s, f{{(_l)?}}) at kernel global, stage input window at grid local, keep sum local
// LARGE-NOT: keep sum
func.func @main(%x: tensor<1x130x13x14xf32>) -> tensor<1x48x13x14xf32> {
  %w = tgraph.constant dense<0.125> : tensor<48x130x3x3xf32>
  %y = tkernel.kernel @deep (%n : 1, %f : 48, %p : 13, %q : 14, %c : 130, %r : 3, %s : 3) reads(%in = %x : tensor<1x130x13x14xf32>, %weights = %w : tensor<48x130x3x3xf32>) -> tensor<1x48x13x14xf32> {
    %0 = tkernel.load %in[%n, %c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<1x130x13x14xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] : tensor<48x130x3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    %zero = arith.constant 0.0 : f32
    %3 = arith.maximumf %2, %zero : f32
    tkernel.store %3, 0[%n, %f, %p, %q] : f32
  }
  return %y : tensor<1x48x13x14xf32>
}
