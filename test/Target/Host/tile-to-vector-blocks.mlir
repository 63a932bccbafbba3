// Tiles in blocks are registers of a matrix unit, whose shapes are set at the beginning of each
// product where they differ.
// RUN: tensor-opt %s --host-form-blocks=units=amx-int8 --tile-to-vector=units=amx-int8 | FileCheck %s

// CHECK-LABEL: func.func @rest
// CHECK: %[[CONFIG:.*]] = llvm.alloca {{.*}} {alignment = 64 : i64}
// 64 bytes in a row of the operand, 28 of the sums.
// CHECK: "llvm.x86.ldtilecfg"(%[[CONFIG]])
// CHECK: "llvm.x86.tilezero"
// CHECK-COUNT-2: "llvm.x86.tileloadd64"
// CHECK: "llvm.x86.tdpbusd"
// CHECK: "llvm.x86.tilestored64"
// CHECK: "llvm.x86.ldtilecfg"(%[[CONFIG]])
// CHECK-COUNT-3: "llvm.x86.tileloadd64"
// CHECK: "llvm.x86.tdpbusd"
// CHECK: "llvm.x86.tilestored64"
// CHECK: vector.maskedload
// CHECK: "llvm.x86.tilerelease"
// CHECK: return
ttile.func @rest(%x: memref<5x76xi8>, %w: memref<19x7x4xi8>) results(%y: memref<5x7xi32>) grid() {
  %zero = arith.constant dense<0> : tensor<1x5x7xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c19 = arith.constant 19 : index
  %sum = scf.for %k = %c0 to %c19 step %c1 iter_args(%c = %zero) -> (tensor<1x5x7xi32>) {
    %a = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3) -> (d1, d3 * 4 + d0)>>(%k) {in_bounds = array<i1: true, true>} : memref<5x76xi8> -> tensor<4x5x1xi8>
    %b = ttile.load %w through #tview.map<affine_map<(d0, d1, d2, d3) -> (d3, d2, d0)>>(%k) {in_bounds = array<i1: true, true, true>} : memref<19x7x4xi8> -> tensor<4x1x7xi8>
    %d = ttile.mma %a, %b, %c lhs_unsigned : tensor<4x5x1xi8>, tensor<4x1x7xi8>, tensor<1x5x7xi32>
    scf.yield %d : tensor<1x5x7xi32>
  }
  %twice = arith.addi %sum, %sum : tensor<1x5x7xi32>
  ttile.store %twice, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() {in_bounds = array<i1: true, true>} : tensor<1x5x7xi32> -> memref<5x7xi32>
  ttile.return
}
