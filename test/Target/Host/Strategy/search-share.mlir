// What could gain less than a five-thousandth of what the program takes is not searched for a list.
// RUN: tensor-compile %s --explain --target=host:znver4 --option=threads=1 -o %t.twm | FileCheck %s
// RUN: grep -v "// large" %s > %t.mlir
// RUN: tensor-compile %t.mlir --explain --target=host:znver4 --option=threads=1 -o %t.twm | FileCheck %s --check-prefix=ALONE
// CHECK: wider (i 200
// CHECK: strategy search
// CHECK: two (i 20
// CHECK: strategy {{general|several-axes|plain}}
// ALONE: two (i 20
// ALONE: strategy search

func.func @main(%x: tensor<20x100xf32>, %y: tensor<100xf32>, %u: tensor<200x1000xf32>, %v: tensor<1000xf32>, %p: tensor<1024x1024xf32>)
    -> (tensor<20xf32>, tensor<100xf32>
        , tensor<200xf32>, tensor<1000xf32> // large
        , tensor<1024x1024xf32> // large
        ) {
  %0:2 = tkernel.kernel @two (%i : 20, %j : 100) reads(%a = %x : tensor<20x100xf32>, %b = %y : tensor<100xf32>) -> (tensor<20xf32>, tensor<100xf32>) {
    %1 = tkernel.load %a[%i, %j] : tensor<20x100xf32>
    %2 = tkernel.reduce addf %1 over (%j) : f32
    tkernel.store %2, 0[%i] : f32
    %3 = tkernel.load %b[%j] : tensor<100xf32>
    %4 = math.exp %3 : f32
    tkernel.store %4, 1[%j] : f32
  }
  %more:2 = tkernel.kernel @wider (%i : 200, %j : 1000) reads(%a = %u : tensor<200x1000xf32>, %b = %v : tensor<1000xf32>) -> (tensor<200xf32>, tensor<1000xf32>) { // large
    %1 = tkernel.load %a[%i, %j] : tensor<200x1000xf32> // large
    %2 = tkernel.reduce addf %1 over (%j) : f32 // large
    tkernel.store %2, 0[%i] : f32 // large
    %3 = tkernel.load %b[%j] : tensor<1000xf32> // large
    %4 = math.exp %3 : f32 // large
    tkernel.store %4, 1[%j] : f32 // large
  } // large
  %product = tkernel.kernel @product (%i : 1024, %j : 1024, %k : 1024) reads(%a = %p : tensor<1024x1024xf32>, %b = %p : tensor<1024x1024xf32>) -> tensor<1024x1024xf32> { // large
    %1 = tkernel.load %a[%i, %k] : tensor<1024x1024xf32> // large
    %2 = tkernel.load %b[%k, %j] : tensor<1024x1024xf32> // large
    %3 = tkernel.contract %1, %2 over (%k) : f32 // large
    tkernel.store %3, 0[%i, %j] : f32 // large
  } // large
  return %0#0, %0#1
    , %more#0, %more#1 // large
    , %product // large
    : tensor<20xf32>, tensor<100xf32>
    , tensor<200xf32>, tensor<1000xf32> // large
    , tensor<1024x1024xf32> // large
}
