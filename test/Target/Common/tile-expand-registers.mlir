// RUN: tensor-opt %s --tile-expand-exchanges | FileCheck %s
// RUN: tensor-opt %s --tile-expand-exchanges --tile-to-threads --cse | FileCheck %s --check-prefix=THREADS

#a = #ttile.layout<8x2, atom 8x2 {reg [(0, 1)], lane [(1, 0), (2, 0), (4, 0), (0, 0), (0, 0)]}>
#b = #ttile.layout<8x2, atom 8x2 {reg [(0, 1), (0, 0)], lane [(1, 0), (2, 0), (4, 0), (0, 0), (0, 0)]}>

// A conversion of what each thread has already stays; one that changes nothing goes.
// CHECK-LABEL: @registers
// CHECK-NOT: ttile.alloc
// CHECK: ttile.convert %{{.*}} -> tensor<8x2xf32, #[[B:.*]]>
// CHECK-NOT: ttile.convert
// THREADS-LABEL: @registers
// THREADS-COUNT-2: memref.load
// THREADS-NOT: memref.load
ttile.func @registers(%x: memref<16xf32>) results(%y: memref<16xf32>) warps(1) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 8 + d0)>>() : memref<16xf32> -> tensor<8x2xf32, #a>
  %u = ttile.convert %t : tensor<8x2xf32, #a> -> tensor<8x2xf32, #b>
  %v = ttile.convert %u : tensor<8x2xf32, #b> -> tensor<8x2xf32, #b>
  ttile.store %v, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 8 + d0)>>() : tensor<8x2xf32, #b> -> memref<16xf32>
  ttile.return
}
