// Results that several stores write, on every device: of one size and of several, with steps, with reductions and
// products of their own, and one of many pieces.
// REQUIRES: compiler, opencl, vulkan
// RUN: tensor-run %s --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --no-cache --option=threads=1 | FileCheck %s
// RUN: tensor-run %s --device=opencl --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=opencl --target=opencl --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=vulkan --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-compile %s --target=cuda:sm_80 -o %t.twm
// RUN: tensor-compile %s --target=amd:gfx1100 -o %t.twm
// CHECK-COUNT-6: : ok

func.func @main(%x: tensor<9x64xf32> {tgraph.name = "x"}, %z: tensor<9x33xf32> {tgraph.name = "z"}, %w: tensor<64x24xf32> {tgraph.name = "w"})
    -> (tensor<9x97xf32> {tgraph.name = "beside"}, tensor<18x64xf32> {tgraph.name = "below"}, tensor<9x64xf32> {tgraph.name = "turned"},
        tensor<9x88xf32> {tgraph.name = "product"}, tensor<11x66xf32> {tgraph.name = "border"}, tensor<3x200xi32> {tgraph.name = "many"}) {
  // Rows of a softmax beside rows of sums so far.
  %beside = tkernel.kernel @beside (%i : 9, %j : 64, %k : 33) reads(%a = %x : tensor<9x64xf32>, %b = %z : tensor<9x33xf32>) -> tensor<9x97xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<9x64xf32>
    %1 = tkernel.reduce maximumf %0 over (%j) : f32
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    %4 = tkernel.reduce addf %3 over (%j) : f32
    %5 = arith.divf %3, %4 : f32
    tkernel.store %5, 0[%i, %j] : f32
    %6 = tkernel.load %b[%i, %k] : tensor<9x33xf32>
    %7 = tkernel.scan addf %6 over %k : f32
    tkernel.store %7, 0[%i, %k + 64] : f32
  }
  // Along the same axes, one piece after the other.
  %below = tkernel.kernel @below (%i : 9, %j : 64) reads(%a = %x : tensor<9x64xf32>) -> tensor<18x64xf32> {
    %0 = tkernel.load %a[%i, %j] : tensor<9x64xf32>
    %1 = math.exp %0 : f32
    %2 = math.tanh %0 : f32
    tkernel.store %1, 0[%i, %j] : f32
    tkernel.store %2, 0[%i + 9, %j] : f32
  }
  // Pairs of neighbours, as in rotary embeddings.
  %turned = tkernel.kernel @turned (%i : 9, %d : 32) reads(%a = %x : tensor<9x64xf32>, %b = %z : tensor<9x33xf32>) -> tensor<9x64xf32> {
    %0 = tkernel.load %a[%i, %d * 2] : tensor<9x64xf32>
    %1 = tkernel.load %a[%i, %d * 2 + 1] : tensor<9x64xf32>
    %2 = tkernel.load %b[%i, %d] : tensor<9x33xf32>
    %3 = math.cos %2 : f32
    %4 = math.sin %2 : f32
    %5 = arith.mulf %0, %3 : f32
    %6 = arith.mulf %1, %4 : f32
    %7 = arith.subf %5, %6 : f32
    %8 = arith.mulf %1, %3 : f32
    %9 = arith.mulf %0, %4 : f32
    %10 = arith.addf %8, %9 : f32
    tkernel.store %7, 0[%i, %d * 2] : f32
    tkernel.store %10, 0[%i, %d * 2 + 1] : f32
  }
  // A product beside what it was made of.
  %product = tkernel.kernel @product (%i : 9, %n : 24, %k : 64, %j : 64) reads(%a = %x : tensor<9x64xf32>, %b = %w : tensor<64x24xf32>) -> tensor<9x88xf32> {
    %0 = tkernel.load %a[%i, %k] : tensor<9x64xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<64x24xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%i, %n] : f32
    %3 = tkernel.load %a[%i, %j] : tensor<9x64xf32>
    %4 = arith.negf %3 : f32
    tkernel.store %4, 0[%i, %j + 24] : f32
  }
  // A tensor within a border of its own.
  %border = tkernel.kernel @border (%i : 9, %j : 64, %m : 66, %h : 2) reads(%a = %x : tensor<9x64xf32>) -> tensor<11x66xf32> {
    %c = arith.constant 7.0 : f32
    %0 = tkernel.load %a[%i, %j] : tensor<9x64xf32>
    %1 = math.absf %0 : f32
    tkernel.store %1, 0[%i + 1, %j + 1] : f32
    tkernel.store %c, 0[%h * 10, %m] : f32
    tkernel.store %c, 0[%i + 1, %h * 65] : f32
  }
  // Of integers, with a mask at the end of each piece.
  %many = tkernel.kernel @many (%i : 3, %j : 67, %k : 33, %l : 100) reads(%a = %x : tensor<9x64xf32>) -> tensor<3x200xi32> {
    %0 = arith.index_cast %j : index to i32
    %1 = arith.index_cast %k : index to i32
    %2 = arith.index_cast %l : index to i32
    %3 = tkernel.reduce addi %2 over (%l) : i32
    %4 = arith.addi %1, %3 : i32
    tkernel.store %0, 0[%i, %j] : i32
    tkernel.store %4, 0[%i, %k + 67] : i32
    tkernel.store %2, 0[%i, %l + 100] : i32
  }
  return %beside, %below, %turned, %product, %border, %many : tensor<9x97xf32>, tensor<18x64xf32>, tensor<9x64xf32>, tensor<9x88xf32>, tensor<11x66xf32>, tensor<3x200xi32>
}
