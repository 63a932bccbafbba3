// Tile form to thread form, all passes.
// RUN: tensor-opt %s --build-threads | FileCheck %s
// RUN: tensor-opt %s --build-threads="subgroup=64 shuffles=true vector-bytes=0" | FileCheck %s --check-prefix=SCALARS

// CHECK: module attributes {gpu.container_module}
// CHECK: gpu.module @kernels

// One access of 16 bytes each way; addresses share what they have in common.
// CHECK-LABEL: gpu.func @relu(
// CHECK-SAME: %[[X:.*]]: memref<4096xf32, #gpu.address_space<global>>, %[[Y:.*]]: memref<4096xf32, #gpu.address_space<global>>) kernel attributes
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: tw.num_outputs = 1 : i64, tw.programs = 4 : i64, tw.warps = 8 : i64
// CHECK: %[[T:.*]] = gpu.thread_id x
// CHECK: %[[P:.*]] = gpu.block_id x
// CHECK: %[[A:.*]] = arith.muli %[[T]], %c4
// CHECK: %[[B:.*]] = arith.muli %[[P]], %c1024
// CHECK: %[[C:.*]] = arith.addi %[[A]], %[[B]]
// CHECK: vector.load %[[X]][%[[C]]] {alignment = 16 : i64} : memref<4096xf32, #gpu.address_space<global>>, vector<4xf32>
// CHECK-COUNT-4: arith.maximumf
// CHECK: %[[V:.*]] = vector.from_elements
// CHECK: vector.store %[[V]], %[[Y]][%[[C]]] {alignment = 16 : i64}
// SCALARS-LABEL: gpu.func @relu(
// SCALARS-SAME: known_block_size = array<i32: 256, 1, 1>
// SCALARS-COUNT-4: memref.load
// SCALARS-NOT: vector
ttile.func @relu(%x: memref<4096xf32>) results(%y: memref<4096xf32>) grid(%i = 4) warps(8) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 1024 + d0)>>(%i) : memref<4096xf32> -> tensor<1024xf32>
  %z = arith.constant dense<0.0> : tensor<1024xf32>
  %r = arith.maximumf %t, %z : tensor<1024xf32>
  ttile.store %r, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 1024 + d0)>>(%i) : tensor<1024xf32> -> memref<4096xf32>
  ttile.return
}

// Guards of a group of registers are one condition; outside, element 0 is read and the fill taken.
// Two rounds with a barrier each; only one thread of those that hold a sum stores it.
// CHECK-LABEL: gpu.func @sums(
// CHECK-SAME: workgroup(%{{.*}} : memref<{{16|256}}xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
// CHECK: %[[IN:.*]] = arith.cmpi sle, %[[T:.*]], %c249
// CHECK: %[[AT:.*]] = arith.select %[[IN]], %{{.*}}, %c0
// CHECK: vector.load %{{.*}}[%[[AT]]]
// CHECK: arith.select %[[IN]], %{{.*}}, %cst
// CHECK: memref.store
// CHECK: gpu.barrier
// CHECK-COUNT-4: vector.load
// CHECK: scf.if
// CHECK-NEXT: memref.store
// CHECK: gpu.barrier
// CHECK-COUNT-4: vector.load
// CHECK: %[[FIRST:.*]] = arith.cmpi {{eq|sle}}, %[[T]]
// CHECK: scf.if %[[FIRST]]
// CHECK-NEXT: memref.store
// SCALARS-LABEL: gpu.func @sums(
// SCALARS-COUNT-6: gpu.shuffle xor {{.*}} : i32
// SCALARS-NOT: gpu.shuffle
// SCALARS: gpu.barrier
// SCALARS-NOT: gpu.barrier
ttile.func @sums(%x: memref<64x1000xf32>) results(%y: memref<64xf32>) grid(%i = 64) warps(8) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>(%i) : memref<64x1000xf32> -> tensor<1x1024xf32>
  %s = ttile.reduce addf %t dims [1] : tensor<1x1024xf32> -> tensor<1x1xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1, d2) -> (d2)>>(%i) : tensor<1x1xf32> -> memref<64xf32>
  ttile.return
}

// Above 65,535 programs the grid is folded; its coordinates are unsigned divisions.
// CHECK-LABEL: gpu.func @folded(
// CHECK-SAME: known_block_size = array<i32: 32, 1, 1>
// CHECK-DAG: %[[BX:.*]] = gpu.block_id x
// CHECK-DAG: %[[BY:.*]] = gpu.block_id y
// CHECK-DAG: %[[GX:.*]] = gpu.grid_dim x
// CHECK: %[[ROW:.*]] = arith.muli %[[BY]], %[[GX]]
// CHECK: %[[ID:.*]] = arith.addi %[[BX]], %[[ROW]]
// CHECK: %[[ALIVE:.*]] = arith.cmpi ult, %[[ID]], %c70000
// CHECK: scf.if %[[ALIVE]]
// CHECK: arith.remui %[[ID]], %c7 
// CHECK: arith.divui %[[ID]], %c7 
ttile.func @folded(%x: memref<10000x7x32xi1>) results(%y: memref<7x10000x32xi1>) grid(%i = 10000, %j = 7) {
  // CHECK: %[[BYTE:.*]] = memref.load {{.*}} : memref<2240000xi8
  // CHECK: %[[BIT:.*]] = arith.cmpi eq, %[[BYTE]], %c0_i8
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2, d0)>>(%i, %j) : memref<10000x7x32xi1> -> tensor<32xi1>
  %one = arith.constant dense<true> : tensor<32xi1>
  %n = arith.xori %t, %one : tensor<32xi1>
  // CHECK: %[[STORED:.*]] = arith.extui %{{.*}} : i1 to i8
  // CHECK: memref.store %[[STORED]]
  ttile.store %n, %y through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1, d0)>>(%i, %j) : tensor<32xi1> -> memref<7x10000x32xi1>
  ttile.return
}

// A gather has one index per register, checked by one comparison; loops carry registers.
// CHECK-LABEL: gpu.func @gather(
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %cst, %{{.*}} = %cst) -> (f32, f32)
// CHECK: arith.cmpi ule, %{{.*}}, %c99
// CHECK: scf.yield %{{.*}}, %{{.*}} : f32, f32
ttile.func @gather(%x: memref<100xf32>, %p: memref<8x64xi64>) results(%y: memref<64xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (tensor<64xf32>) {
    %i64 = ttile.load %p through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%k) : memref<8x64xi64> -> tensor<64xi64>
    %i = arith.index_cast %i64 : tensor<64xi64> to tensor<64xindex>
    %g = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1)>>(%i : tensor<64xindex>) : memref<100xf32> -> tensor<64xf32>
    %a = arith.addf %acc, %g : tensor<64xf32>
    scf.yield %a : tensor<64xf32>
  }
  ttile.store %sum, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<64xf32> -> memref<64xf32>
  ttile.return
}

// A constant whose elements differ, a tile without dimensions, a program of one thread's work.
// CHECK-LABEL: gpu.func @small(
// CHECK: scf.if
ttile.func @small(%x: memref<1xf32>) results(%y: memref<1xf32>, %z: memref<4xi32>) warps(1) {
  %t = ttile.load %x through #tview.map<affine_map<() -> (0)>>() : memref<1xf32> -> tensor<f32>
  ttile.store %t, %y through #tview.map<affine_map<() -> (0)>>() : tensor<f32> -> memref<1xf32>
  %c = arith.constant dense<[3, 1, 4, 1]> : tensor<4xi32>
  ttile.store %c, %z through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<4xi32> -> memref<4xi32>
  ttile.return
}
