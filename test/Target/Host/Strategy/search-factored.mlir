// Where a search looks for lists, reductions in parts compete too: one program would have to do all. Lists that name a
// tile and a grid alone are proposed where no strategy for a class proposes anything.
// RUN: tensor-compile %s --target=host:x86-64-v3 --option=threads=16 --explain -o %t.twm | FileCheck %s
// RUN: tensor-run %s --target=host:x86-64-v3 --option=threads=16 --compare=interpreter --quiet
// RUN: tensor-run %s --target=host:x86-64-v3 --compare=interpreter --quiet

// One sum of all, and sums of rows: programs of rows would all sum the first one.
// CHECK: one_and_rows_parts ({{.*}} {{[0-9][0-9]+}} programs
// CHECK: in full {{.*}}rfactor {{.*}} over k
// CHECK: beside (
// CHECK: {{strategy|candidate}} plain
func.func @main(%x: tensor<47xf32>, %y: tensor<64x128x47xf32>, %z: tensor<23xf32>, %w: tensor<97x23xf32>) -> (tensor<f32>, tensor<64x128xf32>, tensor<97x23xf32>) {
  %0:2 = tkernel.kernel @one_and_rows (%i : 64, %j : 128, %k : 47) reads(%a = %x : tensor<47xf32>, %b = %y : tensor<64x128x47xf32>) -> (tensor<f32>, tensor<64x128xf32>) {
    %1 = tkernel.load %a[%k] : tensor<47xf32>
    %2 = tkernel.reduce addf %1 over (%k) : f32
    %3 = tkernel.load %b[%i, %j, %k] : tensor<64x128x47xf32>
    %4 = tkernel.contract %1, %3 over (%k) : f32
    tkernel.store %2, 0[] : f32
    tkernel.store %4, 1[%i, %j] : f32
  }
  // What is left of rows less their sums.
  %1 = tkernel.kernel @beside (%i : 97, %j : 23) reads(%a = %z : tensor<23xf32>, %b = %w : tensor<97x23xf32>) -> tensor<97x23xf32> {
    %1 = tkernel.load %a[%j] : tensor<23xf32>
    %2 = tkernel.load %b[%i, %j] : tensor<97x23xf32>
    %3 = tkernel.contract %1, %2 over (%j) : f32
    %4 = arith.subf %1, %3 : f32
    tkernel.store %4, 0[%i, %j] : f32
  }
  return %0#0, %0#1, %1 : tensor<f32>, tensor<64x128xf32>, tensor<97x23xf32>
}
