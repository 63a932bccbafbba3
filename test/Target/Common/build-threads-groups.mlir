// Eight elements of a thread go through operations that follow each other, then the next eight: what lies between the operations has no
// register for each element.
// RUN: tensor-opt %s --build-threads | FileCheck %s

// CHECK-LABEL: gpu.func @groups(
// CHECK-COUNT-8: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK-COUNT-8: arith.addf
// CHECK-NOT: arith.addf
// CHECK-COUNT-8: arith.divf
// CHECK-COUNT-8: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK-COUNT-8: arith.addf
// CHECK-COUNT-8: arith.divf
// CHECK: vector.store
ttile.func @groups(%x: memref<512xf32>) results(%y: memref<512xf32>) grid(%i = 1) warps(1) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 512 + d0)>>(%i) : memref<512xf32> -> tensor<512xf32>
  %c = arith.constant dense<0.3> : tensor<512xf32>
  %0 = arith.mulf %t, %t : tensor<512xf32>
  %d = arith.constant dense<0.7> : tensor<512xf32>
  %1 = arith.addf %0, %c : tensor<512xf32>
  %2 = arith.divf %1, %d : tensor<512xf32>
  ttile.store %2, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 512 + d0)>>(%i) : tensor<512xf32> -> memref<512xf32>
  ttile.return
}
