// RUN: tensor-opt %s --split-input-file --tile-assign-layouts --tile-expand-exchanges | FileCheck %s
// RUN: tensor-opt %s --split-input-file --tile-assign-layouts --tile-expand-exchanges=shuffles=true | FileCheck %s --check-prefix=SHUFFLES

// 256 threads: 4 registers each, then two rounds of 16 through local memory. Without warps to cross,
// shuffles need no memory; with them one round of 8 is left.
// CHECK-LABEL: @sum
// CHECK-DAG: %[[A:.*]] = ttile.alloc : memref<256xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[B:.*]] = ttile.alloc : memref<16xf32, #gpu.address_space<workgroup>>
// CHECK: %[[P:.*]] = ttile.reduce addf %{{.*}} dims [0] {within = "thread"} : tensor<1024xf32, #{{.*}}> -> tensor<256xf32, #{{.*}}>
// CHECK: ttile.store %[[P]], %[[A]]
// CHECK: %[[Q:.*]] = ttile.load %[[A]] {{.*}} -> tensor<256xf32
// CHECK: %[[R:.*]] = ttile.reduce addf %[[Q]] dims [0] {within = "thread"} : tensor<256xf32, #{{.*}}> -> tensor<16xf32, #{{.*}}>
// CHECK: ttile.store %[[R]], %[[B]]
// CHECK: %[[S:.*]] = ttile.load %[[B]]
// CHECK: %[[T:.*]] = ttile.reduce addf %[[S]] dims [0] {within = "thread"} : tensor<16xf32, #{{.*}}> -> tensor<1xf32, #{{.*}}>
// CHECK: ttile.store %[[T]], %arg1
// SHUFFLES-LABEL: @sum
// SHUFFLES: ttile.reduce addf %{{.*}} dims [0] {within = "subgroup"} : tensor<1024xf32, #{{.*}}> -> tensor<8xf32, #{{.*}}>
// SHUFFLES: ttile.reduce addf %{{.*}} dims [0] {within = "thread"} : tensor<8xf32, #{{.*}}> -> tensor<1xf32, #{{.*}}>
ttile.func @sum(%x: memref<1024xf32>) results(%y: memref<1xf32>) warps(8) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<1024xf32> -> tensor<1024xf32>
  %s = ttile.reduce addf %t dims [0] : tensor<1024xf32> -> tensor<1xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<1xf32> -> memref<1xf32>
  ttile.return
}

// -----

// A scan of what 256 threads have: their sums, in two rounds of 16 through local memory, and back to each what is in front of it. With shuffles
// lanes scan their sums, and those of eight subgroups go through memory once.
// CHECK-LABEL: @scan
// CHECK: %[[P:.*]] = ttile.reduce addf %[[X:.*]] dims [0] {within = "thread"} : tensor<1024xf32, #{{.*}}> -> tensor<256xf32, #{{.*}}>
// CHECK: ttile.store %[[P]]
// CHECK: %[[Q:.*]] = ttile.load
// CHECK: %[[R:.*]] = ttile.reduce addf %[[Q]] dims [0] {within = "thread"} : tensor<256xf32, #{{.*}}> -> tensor<16xf32, #{{.*}}>
// CHECK: ttile.store %[[R]]
// CHECK: %[[S:.*]] = ttile.load
// CHECK: %[[T:[a-z0-9_]*]], %{{.*}} = ttile.scan addf %[[S]] dim 0 exclusive : tensor<16xf32
// CHECK: ttile.store %[[T]]
// CHECK: %[[U:.*]] = ttile.load
// CHECK: %[[V:[a-z0-9_]*]], %{{.*}} = ttile.scan addf %[[Q]] from %[[U]] dim 0 exclusive : tensor<256xf32, #{{.*}}> from tensor<16xf32
// CHECK: ttile.store %[[V]]
// CHECK: %[[W:.*]] = ttile.load
// CHECK: ttile.scan addf %[[X]] from %[[W]] dim 0 : tensor<1024xf32, #{{.*}}> from tensor<256xf32
// SHUFFLES-LABEL: @scan
// SHUFFLES: %[[P:.*]] = ttile.reduce addf %[[X:.*]] dims [0] {within = "thread"} : tensor<1024xf32, #{{.*}}> -> tensor<256xf32, #{{.*}}>
// SHUFFLES: %[[R:.*]] = ttile.reduce addf %[[P]] dims [0] {within = "subgroup"} : tensor<256xf32, #{{.*}}> -> tensor<8xf32, #{{.*}}>
// SHUFFLES: ttile.store %[[R]]
// SHUFFLES: %[[S:.*]] = ttile.load
// SHUFFLES: %[[T:[a-z0-9_]*]], %{{.*}} = ttile.scan addf %[[S]] dim 0 exclusive : tensor<8xf32
// SHUFFLES: ttile.store %[[T]]
// SHUFFLES: %[[U:.*]] = ttile.load
// SHUFFLES: %[[V:[a-z0-9_]*]], %{{.*}} = ttile.scan addf %[[P]] from %[[U]] dim 0 exclusive : tensor<256xf32, #{{.*}}> from tensor<8xf32
// SHUFFLES-NOT: ttile.store
// SHUFFLES: ttile.scan addf %[[X]] from %[[V]] dim 0 : tensor<1024xf32, #{{.*}}> from tensor<256xf32
ttile.func @scan(%x: memref<1024xf32>) results(%y: memref<1024xf32>) warps(8) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<1024xf32> -> tensor<1024xf32>
  %s, %u = ttile.scan addf %t dim 0 : tensor<1024xf32> -> tensor<1xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<1024xf32> -> memref<1024xf32>
  ttile.return
}

// -----

// A conversion between threads goes through padded memory.
// CHECK-LABEL: @transpose
// CHECK: %[[S:.*]] = ttile.alloc : memref<1055xf32, #gpu.address_space<workgroup>>
// CHECK: ttile.store %{{.*}}, %[[S]] through #tview.map<affine_map<(d0, d1) -> (d0 * 33 + d1)>>
// CHECK: ttile.load %[[S]] through #tview.map<affine_map<(d0, d1) -> (d0 * 33 + d1)>>
// CHECK-NOT: ttile.convert
ttile.func @transpose(%x: memref<32x32xf32>) results(%y: memref<32x32xf32>) warps(4) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>() : memref<32x32xf32> -> tensor<32x32xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<32x32xf32> -> memref<32x32xf32>
  ttile.return
}

// -----

// Tiles of indices travel as i64; several values have one buffer each.
// CHECK-LABEL: @first
// CHECK-DAG: ttile.alloc : memref<32xf32
// CHECK-DAG: ttile.alloc : memref<32xi64
// CHECK: ttile.reduce %{{.*}}, %{{.*}} dims [0] identities [0.000000e+00 : f32, 0 : index] {within = "thread"}
// CHECK: arith.index_cast
ttile.func @first(%x: memref<32xf32>) results(%y: memref<1xi64>) warps(1) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<32xf32> -> tensor<32xf32>
  %j = ttile.index affine_map<(d0) -> (d0)>() : tensor<32xindex>
  %q:2 = ttile.reduce %t, %j dims [0] identities [0.0 : f32, 0 : index] : tensor<32xf32>, tensor<32xindex> -> tensor<1xf32>, tensor<1xindex> {
  ^bb0(%a0: f32, %a1: index, %v0: f32, %v1: index):
    %c = arith.cmpf ogt, %v0, %a0 : f32
    %r0 = arith.select %c, %v0, %a0 : f32
    %r1 = arith.select %c, %v1, %a1 : index
    ttile.yield %r0, %r1 : f32, index
  }
  %i = arith.index_cast %q#1 : tensor<1xindex> to tensor<1xi64>
  ttile.store %i, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<1xi64> -> memref<1xi64>
  ttile.return
}

// -----

// Threads store what they have side by side where that takes the banks less than rows that threads then read.
// CHECK-LABEL: @columns
// CHECK: ttile.store {{.*}} through #tview.map<affine_map<(d0, d1) -> (d0 * 32 + d1)>>()
ttile.func @columns(%x: memref<64x32xf32>) results(%y: memref<32xf32>) warps(8) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : memref<64x32xf32> -> tensor<64x32xf32>
  %s = ttile.reduce addf %t dims [0] : tensor<64x32xf32> -> tensor<1x32xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1) -> (d1)>>() : tensor<1x32xf32> -> memref<32xf32>
  ttile.return
}
