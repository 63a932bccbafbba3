// A kernel of which no strategy knows more than of any: a search over legal lists finds a cheaper one, the same each
// time; without states it does not look.
// RUN: tensor-opt %s --kernel-schedule=search=300 -o %t.1
// RUN: tensor-opt %s --kernel-schedule=search=300 -o %t.2
// RUN: cmp %t.1 %t.2
// RUN: tensor-opt %s --kernel-schedule -o %t.0
// RUN: %python %S/Inputs/check-search.py %t.0 %t.1 tensor-opt
// RUN: tensor-compile %s --explain -o %t.twm | FileCheck %s
// RUN: tensor-compile %s --explain --option=search-states=0 -o %t.twm | FileCheck %s --check-prefix=OFF
// RUN: not tensor-compile %s --option=search-states=many -o %t.twm 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: tensor-run %s --compare=interpreter --quiet

// CHECK: two (i 200
// CHECK: strategy search, 1 of
// CHECK: candidate {{general|several-axes}}
// CHECK: known (i 64
// CHECK: strategy rows
// OFF: two (i 200
// OFF: strategy {{general|several-axes}}
// BAD: unknown compile option 'search-states=many'

func.func @main(%x: tensor<200x1000xf32>, %y: tensor<1000xf32>) -> (tensor<200xf32>, tensor<1000xf32>, tensor<64xf32>) {
  // A store that does not run along i, of which the grid must not be.
  %0:2 = tkernel.kernel @two (%i : 200, %j : 1000) reads(%a = %x : tensor<200x1000xf32>, %b = %y : tensor<1000xf32>) -> (tensor<200xf32>, tensor<1000xf32>) {
    %1 = tkernel.load %a[%i, %j] : tensor<200x1000xf32>
    %2 = tkernel.reduce addf %1 over (%j) : f32
    tkernel.store %2, 0[%i] : f32
    %3 = tkernel.load %b[%j] : tensor<1000xf32>
    %4 = math.exp %3 : f32
    tkernel.store %4, 1[%j] : f32
  }
  %1 = tkernel.kernel @known (%i : 64, %j : 1000) reads(%a = %x : tensor<200x1000xf32>) -> tensor<64xf32> {
    %1 = tkernel.load %a[%i, %j] : tensor<200x1000xf32>
    %2 = tkernel.reduce addf %1 over (%j) : f32
    tkernel.store %2, 0[%i] : f32
  }
  return %0#0, %0#1, %1 : tensor<200xf32>, tensor<1000xf32>, tensor<64xf32>
}
