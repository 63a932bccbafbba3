// RUN: tensor-opt %s --split-input-file --interpret="integers=true" -o /dev/null | FileCheck %s

#local = #gpu.address_space<workgroup>

// What is stored in local memory is read back, through other maps; padding holds nothing.
// CHECK: result 0 : tensor<3x2xi32> = 0 3 1 4 2 5
ttile.func @main() results(%y: memref<3x2xi32>) warps(1) {
  %s = ttile.alloc : memref<2x3xi32, strided<[4, 1]>, #local>
  %v = ttile.index affine_map<(d0, d1) -> (d0 * 3 + d1)>() : tensor<2x3xindex>
  %w = arith.index_cast %v : tensor<2x3xindex> to tensor<2x3xi32>
  ttile.store %w, %s through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<2x3xi32> -> memref<2x3xi32, strided<[4, 1]>, #local>
  ttile.barrier
  %t = ttile.load %s through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>() : memref<2x3xi32, strided<[4, 1]>, #local> -> tensor<3x2xi32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<3x2xi32> -> memref<3x2xi32>
  ttile.return
}

// -----

#local = #gpu.address_space<workgroup>

// Nothing is left from the program before: what was not stored is -1 in every program.
// CHECK: result 0 : tensor<2xi32> = -1 -1
ttile.func @main() results(%y: memref<2xi32>) grid(%i = 2) {
  %s = ttile.alloc : memref<2xi32, #local>
  %t = ttile.load %s through #tview.map<affine_map<(d0, d1) -> (1)>>(%i) : memref<2xi32, #local> -> tensor<1xi32>
  %five = arith.constant dense<5> : tensor<2xi32>
  ttile.store %five, %s through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<2xi32> -> memref<2xi32, #local>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1)>>(%i) : tensor<1xi32> -> memref<2xi32>
  ttile.return
}

// -----

// A change of layout changes no element.
#a = #ttile.layout<4, atom 4 {lane [(1), (2)]}>
#b = #ttile.layout<4, atom 4 {reg [(1)], lane [(0), (2)]}>
// CHECK: result 0 : tensor<4xi32> = 0 1 2 3
ttile.func @main() results(%y: memref<4xi32>) warps(1) {
  %v = ttile.index affine_map<(d0) -> (d0)>() : tensor<4xindex, #a>
  %w = arith.index_cast %v : tensor<4xindex, #a> to tensor<4xi32, #a>
  %c = ttile.convert %w : tensor<4xi32, #a> -> tensor<4xi32, #b>
  ttile.store %c, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<4xi32, #b> -> memref<4xi32>
  ttile.return
}
