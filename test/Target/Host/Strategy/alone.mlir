// Where one thread is done before others have begun, or there is one, a small kernel is one program.
// RUN: tensor-opt %s --kernel-schedule=traits=threads=2 | FileCheck %s --check-prefix=TWO
// RUN: tensor-opt %s --kernel-schedule=traits=threads=1 | FileCheck %s --check-prefix=ONE
// RUN: tensor-run %s --compare=interpreter --quiet

// TWO: @small {{.*}}#tkernel.schedule<[split i = [i_o, i_i 4], split j = [j_o, j_i 16], order [i_o, j_o], tile [i_i, j_i]
// TWO: @large {{.*}}grid [i_o]
// ONE: @small {{.*}}order [i_o
// ONE: @large {{.*}}grid [i_o]
func.func @main(%x: tensor<100x77xf32>, %z: tensor<4000x77xf32>) -> (tensor<100xf32>, tensor<4000xf32>) {
  %y = tkernel.kernel @small (%i : 100, %j : 77) reads(%a = %x : tensor<100x77xf32>) -> tensor<100xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<100x77xf32>
    %1 = tkernel.reduce addf %0 over (%j) : f32
    tkernel.store %1, 0[%i] : f32
  }
  %w = tkernel.kernel @large (%i : 4000, %j : 77) reads(%a = %z : tensor<4000x77xf32>) -> tensor<4000xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<4000x77xf32>
    %1 = tkernel.reduce addf %0 over (%j) : f32
    tkernel.store %1, 0[%i] : f32
  }
  return %y, %w : tensor<100xf32>, tensor<4000xf32>
}
