// Loops over groups of products become steps of a matrix unit; all else stays.
// RUN: tensor-opt %s --split-input-file --host-form-blocks="units=amx-bf16,amx-int8 dots=avx512bf16" | FileCheck %s
// RUN: tensor-opt %s --split-input-file --host-form-blocks=units=amx-bf16,amx-int8 | FileCheck %s --check-prefix=NODOTS
// NODOTS-NOT: host.sums
// RUN: tensor-opt %s --split-input-file --host-form-blocks | FileCheck %s --check-prefix=NONE
// RUN: not tensor-opt %s --split-input-file --host-form-blocks=units=amx 2>&1 | FileCheck %s --check-prefix=NAME
// NONE-NOT: #ttile.blocks
// NAME: error: no instruction set has the matrix unit 'amx', expected amx-bf16, amx-int8 [T0408]

// Sums are in blocks all along, and stored from there: nothing goes through memory.
// CHECK-LABEL: @whole
// CHECK-NOT: memref.alloca
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<1x32x32xf32, #ttile.blocks<16 x 16 at 0 of 0>>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args({{.*}} = %[[ZERO]])
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %c32{{.*}} step %c16
// CHECK: ttile.load %arg0 through #tview.map<affine_map<(d0, d1, d2, d3, d4) -> (d1, d0 + d3 * 2 + d4 * 64)>>(%[[K]], {{.*}}) {{.*}} -> tensor<32x32x1xbf16, #ttile.blocks<16 x 16 at 4 of 0>>
// CHECK: ttile.load {{.*}} -> tensor<32x1x32xbf16, #ttile.blocks<16 x 16 at 6 of 0>>
// CHECK: ttile.mma
// CHECK: ttile.store %[[SUM]], %arg2
ttile.func @whole(%x: memref<32x128xbf16>, %w: memref<64x32x2xbf16>) results(%y: memref<32x32xf32>) grid() {
  %zero = arith.constant dense<0.0> : tensor<1x32x32xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %sum = scf.for %ko = %c0 to %c2 step %c1 iter_args(%outer = %zero) -> (tensor<1x32x32xf32>) {
    %part = scf.for %k = %c0 to %c32 step %c1 iter_args(%c = %outer) -> (tensor<1x32x32xf32>) {
      %a = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3, d4) -> (d1, d4 * 64 + d3 * 2 + d0)>>(%k, %ko) {in_bounds = array<i1: true, true>} : memref<32x128xbf16> -> tensor<2x32x1xbf16>
      %b = ttile.load %w through #tview.map<affine_map<(d0, d1, d2, d3, d4) -> (d4 * 32 + d3, d2, d0)>>(%k, %ko) {in_bounds = array<i1: true, true, true>} : memref<64x32x2xbf16> -> tensor<2x1x32xbf16>
      %d = ttile.mma %a, %b, %c : tensor<2x32x1xbf16>, tensor<2x1x32xbf16>, tensor<1x32x32xf32>
      scf.yield %d : tensor<1x32x32xf32>
    }
    scf.yield %part : tensor<1x32x32xf32>
  }
  ttile.store %sum, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() {in_bounds = array<i1: true, true>} : tensor<1x32x32xf32> -> memref<32x32xf32>
  ttile.return
}

// -----

// What is left of the groups is a product of its own, to which sums go through memory, and so does
// what is computed with them.
// CHECK-LABEL: @rest
// CHECK: %[[STACK:.*]] = memref.alloca() {alignment = 64 : i64} : memref<80xi32>
// CHECK: ttile.mma {{.*}} lhs_unsigned : tensor<64x5x1xi8, {{.*}} of 0>>, tensor<64x1x7xi8, {{.*}} of 0>>, tensor<1x5x7xi32, {{.*}} of 0>>
// CHECK: ttile.store {{.*}}, %[[STACK]]
// CHECK: ttile.load %[[STACK]] {{.*}} -> tensor<1x5x7xi32, #ttile.blocks<16 x 16 at 0 of 1>>
// CHECK: ttile.mma {{.*}} lhs_unsigned : tensor<12x5x1xi8, {{.*}} of 1>>, tensor<12x1x7xi8, {{.*}} of 1>>, tensor<1x5x7xi32, {{.*}} of 1>>
// CHECK: %[[PLAIN:.*]] = ttile.load %[[STACK]] {{.*}} -> tensor<1x5x7xi32>
// CHECK: arith.addi %[[PLAIN]], %[[PLAIN]]
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

// -----

// Two products in one loop hold registers of their own in turn: the loop carries neither in blocks.
// CHECK-LABEL: @two
// CHECK: scf.for {{.*}} -> (tensor<1x16x16xf32>, tensor<1x16x16xf32>)
// CHECK: ttile.mma {{.*}} of 0>>
// CHECK: ttile.store {{.*}} of 0>> -> memref<256xf32>
// CHECK: ttile.load {{.*}} -> tensor<1x16x16xf32>
// CHECK: ttile.mma {{.*}} of 1>>
ttile.func @two(%x: memref<16x128xbf16>, %w: memref<64x16x2xbf16>) results(%y: memref<16x16xf32>) grid() {
  %zero = arith.constant dense<0.0> : tensor<1x16x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %sum:2 = scf.for %ko = %c0 to %c2 step %c1 iter_args(%p = %zero, %q = %zero) -> (tensor<1x16x16xf32>, tensor<1x16x16xf32>) {
    %r = scf.for %k = %c0 to %c32 step %c1 iter_args(%c = %p) -> (tensor<1x16x16xf32>) {
      %a = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3, d4) -> (d1, d4 * 64 + d3 * 2 + d0)>>(%k, %ko) {in_bounds = array<i1: true, true>} : memref<16x128xbf16> -> tensor<2x16x1xbf16>
      %b = ttile.load %w through #tview.map<affine_map<(d0, d1, d2, d3, d4) -> (d4 * 32 + d3, d2, d0)>>(%k, %ko) {in_bounds = array<i1: true, true, true>} : memref<64x16x2xbf16> -> tensor<2x1x16xbf16>
      %d = ttile.mma %a, %b, %c : tensor<2x16x1xbf16>, tensor<2x1x16xbf16>, tensor<1x16x16xf32>
      scf.yield %d : tensor<1x16x16xf32>
    }
    %s = scf.for %k = %c0 to %c32 step %c1 iter_args(%c = %q) -> (tensor<1x16x16xf32>) {
      %a = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3, d4) -> (d1, d4 * 64 + d3 * 2 + d0)>>(%k, %ko) {in_bounds = array<i1: true, true>} : memref<16x128xbf16> -> tensor<2x16x1xbf16>
      %b = ttile.load %w through #tview.map<affine_map<(d0, d1, d2, d3, d4) -> (d4 * 32 + d3, d2, d0)>>(%k, %ko) {in_bounds = array<i1: true, true, true>} : memref<64x16x2xbf16> -> tensor<2x1x16xbf16>
      %d = ttile.mma %a, %b, %c : tensor<2x16x1xbf16>, tensor<2x1x16xbf16>, tensor<1x16x16xf32>
      scf.yield %d : tensor<1x16x16xf32>
    }
    scf.yield %r, %s : tensor<1x16x16xf32>, tensor<1x16x16xf32>
  }
  %both = arith.addf %sum#0, %sum#1 : tensor<1x16x16xf32>
  ttile.store %both, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() {in_bounds = array<i1: true, true>} : tensor<1x16x16xf32> -> memref<16x16xf32>
  ttile.return
}

// -----

// Groups along rows that lie apart, and columns that do not follow each other, stay with vectors.
// CHECK-LABEL: @apart
// CHECK-NOT: #ttile.blocks
ttile.func @apart(%x: memref<64x16x2xbf16>, %w: memref<16x128xbf16>) results(%y: memref<16x16xf32>) grid() {
  %zero = arith.constant dense<0.0> : tensor<1x16x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%c = %zero) -> (tensor<1x16x16xf32>) {
    %a = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3) -> (d3, d1, d0)>>(%k) {in_bounds = array<i1: true, true, true>} : memref<64x16x2xbf16> -> tensor<2x16x1xbf16>
    %b = ttile.load %w through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2, d3 * 2 + d0)>>(%k) {in_bounds = array<i1: true, true>} : memref<16x128xbf16> -> tensor<2x1x16xbf16>
    %d = ttile.mma %a, %b, %c : tensor<2x16x1xbf16>, tensor<2x1x16xbf16>, tensor<1x16x16xf32>
    scf.yield %d : tensor<1x16x16xf32>
  }
  ttile.store %sum, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() {in_bounds = array<i1: true, true>} : tensor<1x16x16xf32> -> memref<16x16xf32>
  ttile.return
}

// -----

// A unit sums in 32 bits.
// CHECK-LABEL: @narrow
// CHECK-NOT: #ttile.blocks
ttile.func @narrow(%x: memref<16x64xi8>, %w: memref<16x16x4xi8>) results(%y: memref<16x16xi8>) grid() {
  %zero = arith.constant dense<0> : tensor<1x16x16xi8>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %sum = scf.for %k = %c0 to %c16 step %c1 iter_args(%c = %zero) -> (tensor<1x16x16xi8>) {
    %a = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3) -> (d1, d3 * 4 + d0)>>(%k) {in_bounds = array<i1: true, true>} : memref<16x64xi8> -> tensor<4x16x1xi8>
    %b = ttile.load %w through #tview.map<affine_map<(d0, d1, d2, d3) -> (d3, d2, d0)>>(%k) {in_bounds = array<i1: true, true, true>} : memref<16x16x4xi8> -> tensor<4x1x16xi8>
    %d = ttile.mma %a, %b, %c : tensor<4x16x1xi8>, tensor<4x1x16xi8>, tensor<1x16x16xi8>
    scf.yield %d : tensor<1x16x16xi8>
  }
  ttile.store %sum, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() {in_bounds = array<i1: true, true>} : tensor<1x16x16xi8> -> memref<16x16xi8>
  ttile.return
}

// -----

// Parts of a sum that wait in memory: a part begins with those before it, and is stored from blocks. Nothing but zeros and
// sums of the unit are in that memory, so nothing in it is denormal.
// CHECK-LABEL: @parts
// CHECK: %[[KEPT:.*]] = ttile.alloc {host.sums = "avx512bf16"} : memref<2x32x32xf32
// CHECK-NOT: memref.alloca
// CHECK: ttile.store %{{.*}}, %[[KEPT]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[BEGIN:.*]] = ttile.load %[[KEPT]] {{.*}} -> tensor<1x32x32xf32, #ttile.blocks<16 x 16 at 0 of 0>>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args({{.*}} = %[[BEGIN]])
// CHECK-NOT: arith.addf
// CHECK: ttile.store %[[SUM]], %[[KEPT]]
ttile.func @parts(%x: memref<32x128xbf16>, %w: memref<2x64x32x2xbf16>) results(%y: memref<32x64xbf16>) grid() {
  %zero = arith.constant dense<0.0> : tensor<1x32x32xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %kept = ttile.alloc : memref<2x32x32xf32, #gpu.address_space<workgroup>>
  scf.for %n = %c0 to %c2 step %c1 {
    ttile.store %zero, %kept through #tview.map<affine_map<(d0, d1, d2, d3) -> (d3, d1, d2)>>(%n) {in_bounds = array<i1: true, true, true>} : tensor<1x32x32xf32> -> memref<2x32x32xf32, #gpu.address_space<workgroup>>
  }
  scf.for %ko = %c0 to %c2 step %c1 {
    scf.for %n = %c0 to %c2 step %c1 {
      %part = scf.for %k = %c0 to %c32 step %c1 iter_args(%c = %zero) -> (tensor<1x32x32xf32>) {
        %a = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3, d4) -> (d1, d4 * 64 + d3 * 2 + d0)>>(%k, %ko) {in_bounds = array<i1: true, true>} : memref<32x128xbf16> -> tensor<2x32x1xbf16>
        %b = ttile.load %w through #tview.map<affine_map<(d0, d1, d2, d3, d4, d5) -> (d5, d4 * 32 + d3, d2, d0)>>(%k, %ko, %n) {in_bounds = array<i1: true, true, true, true>} : memref<2x64x32x2xbf16> -> tensor<2x1x32xbf16>
        %d = ttile.mma %a, %b, %c : tensor<2x32x1xbf16>, tensor<2x1x32xbf16>, tensor<1x32x32xf32>
        scf.yield %d : tensor<1x32x32xf32>
      }
      %before = ttile.load %kept through #tview.map<affine_map<(d0, d1, d2, d3) -> (d3, d1, d2)>>(%n) {in_bounds = array<i1: true, true, true>} : memref<2x32x32xf32, #gpu.address_space<workgroup>> -> tensor<1x32x32xf32>
      %next = arith.addf %before, %part : tensor<1x32x32xf32>
      ttile.store %next, %kept through #tview.map<affine_map<(d0, d1, d2, d3) -> (d3, d1, d2)>>(%n) {in_bounds = array<i1: true, true, true>} : tensor<1x32x32xf32> -> memref<2x32x32xf32, #gpu.address_space<workgroup>>
    }
  }
  scf.for %n = %c0 to %c2 step %c1 {
    %sum = ttile.load %kept through #tview.map<affine_map<(d0, d1, d2, d3) -> (d3, d1, d2)>>(%n) {in_bounds = array<i1: true, true, true>} : memref<2x32x32xf32, #gpu.address_space<workgroup>> -> tensor<1x32x32xf32>
    %narrow = arith.truncf %sum : tensor<1x32x32xf32> to tensor<1x32x32xbf16>
    ttile.store %narrow, %y through #tview.map<affine_map<(d0, d1, d2, d3) -> (d1, d3 * 32 + d2)>>(%n) {in_bounds = array<i1: true, true>} : tensor<1x32x32xbf16> -> memref<32x64xbf16>
  }
  ttile.return
}

// -----

// What is stored to the memory in between is no part of the sum: it is added afterwards. Memory that holds other numbers, too,
// may hold denormals; what sums leave on the stack does not.
// CHECK-LABEL: @between
// CHECK: memref.alloca() {alignment = 64 : i64, host.sums = "avx512bf16"}
// CHECK: %{{.*}} = ttile.alloc : memref<16x16xf32
// CHECK: ttile.mma
// CHECK: arith.addf
ttile.func @between(%x: memref<16x64xbf16>, %w: memref<32x16x2xbf16>, %o: memref<16x16xf32>) results(%y: memref<16x16xf32>) grid() {
  %zero = arith.constant dense<0.0> : tensor<1x16x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %kept = ttile.alloc : memref<16x16xf32, #gpu.address_space<workgroup>>
  %part = scf.for %k = %c0 to %c32 step %c1 iter_args(%c = %zero) -> (tensor<1x16x16xf32>) {
    %a = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3) -> (d1, d3 * 2 + d0)>>(%k) {in_bounds = array<i1: true, true>} : memref<16x64xbf16> -> tensor<2x16x1xbf16>
    %b = ttile.load %w through #tview.map<affine_map<(d0, d1, d2, d3) -> (d3, d2, d0)>>(%k) {in_bounds = array<i1: true, true, true>} : memref<32x16x2xbf16> -> tensor<2x1x16xbf16>
    %d = ttile.mma %a, %b, %c : tensor<2x16x1xbf16>, tensor<2x1x16xbf16>, tensor<1x16x16xf32>
    scf.yield %d : tensor<1x16x16xf32>
  }
  %other = ttile.load %o through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() {in_bounds = array<i1: true, true>} : memref<16x16xf32> -> tensor<1x16x16xf32>
  ttile.store %other, %kept through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() {in_bounds = array<i1: true, true>} : tensor<1x16x16xf32> -> memref<16x16xf32, #gpu.address_space<workgroup>>
  %before = ttile.load %kept through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() {in_bounds = array<i1: true, true>} : memref<16x16xf32, #gpu.address_space<workgroup>> -> tensor<1x16x16xf32>
  %next = arith.addf %before, %part : tensor<1x16x16xf32>
  ttile.store %next, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() {in_bounds = array<i1: true, true>} : tensor<1x16x16xf32> -> memref<16x16xf32>
  ttile.return
}

// -----

// A float that is no part of the sum is added to it: the unit would round it with every product, and take a denormal for 0.
// CHECK-LABEL: @other
// CHECK: ttile.mma
// CHECK: arith.addf
ttile.func @other(%x: memref<16x64xbf16>, %w: memref<32x16x2xbf16>, %o: memref<16x16xf32>) results(%y: memref<16x16xf32>) grid() {
  %zero = arith.constant dense<0.0> : tensor<1x16x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %part = scf.for %k = %c0 to %c32 step %c1 iter_args(%c = %zero) -> (tensor<1x16x16xf32>) {
    %a = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3) -> (d1, d3 * 2 + d0)>>(%k) {in_bounds = array<i1: true, true>} : memref<16x64xbf16> -> tensor<2x16x1xbf16>
    %b = ttile.load %w through #tview.map<affine_map<(d0, d1, d2, d3) -> (d3, d2, d0)>>(%k) {in_bounds = array<i1: true, true, true>} : memref<32x16x2xbf16> -> tensor<2x1x16xbf16>
    %d = ttile.mma %a, %b, %c : tensor<2x16x1xbf16>, tensor<2x1x16xbf16>, tensor<1x16x16xf32>
    scf.yield %d : tensor<1x16x16xf32>
  }
  %other = ttile.load %o through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() {in_bounds = array<i1: true, true>} : memref<16x16xf32> -> tensor<1x16x16xf32>
  %next = arith.addf %other, %part : tensor<1x16x16xf32>
  ttile.store %next, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>() {in_bounds = array<i1: true, true>} : tensor<1x16x16xf32> -> memref<16x16xf32>
  ttile.return
}
