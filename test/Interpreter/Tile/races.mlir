// RUN: not tensor-opt %s --interpret="check-races" -o /dev/null 2>&1 | FileCheck %s

#local = #gpu.address_space<workgroup>
#across = #ttile.layout<8, atom 8 {lane [(1), (2)], warp [(4)]}>

// CHECK: error: thread 0 reads element 7, which thread 7 wrote with no barrier between [T0707]
// CHECK: note: the earlier access is here
ttile.func @main() results(%y: memref<8xf32>) warps(2) {
  %s = ttile.alloc : memref<8xf32, #local>
  %t = arith.constant dense<1.0> : tensor<8xf32, #across>
  ttile.store %t, %s through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<8xf32, #across> -> memref<8xf32, #local>
  %u = ttile.load %s through #tview.map<affine_map<(d0) -> (7 - d0)>>() : memref<8xf32, #local> -> tensor<8xf32, #across>
  ttile.store %u, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<8xf32, #across> -> memref<8xf32>
  ttile.return
}
