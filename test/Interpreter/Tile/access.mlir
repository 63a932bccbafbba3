// RUN: tensor-opt %s --split-input-file --interpret="integers=true" -o /dev/null | FileCheck %s

// Loads outside read the fill, stores outside and beyond guards are dropped. Where nothing is
// written, the random input stays: 6 and -8.
// CHECK: result 0 : tensor<6xi64> = 9 0 1 2 6 -8
ttile.func @main() results(%y: memref<6xi64>) grid(%i = 2) {
  %v = ttile.index affine_map<(d0, d1) -> (d0 + 4 * d1)>(%i) : tensor<4xindex>
  %w = arith.index_cast %v : tensor<4xindex> to tensor<4xi64>
  ttile.store %w, %y through #tview.map<affine_map<(d0, d1) -> (d0 + 4 * d1 + 1)>, [(d0, d1) : (2 - d0 - 4 * d1 ge 0) else 0 : i64]>(%i) : tensor<4xi64> -> memref<6xi64>
  %n = arith.constant dense<9> : tensor<1xi64>
  ttile.store %n, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 100)>>(%i) : tensor<1xi64> -> memref<6xi64>
  ttile.return
}

// -----

// An index tile is a gather, broadcast over the tile; a scalar index shifts it.
// CHECK: result 1 : tensor<2x3xi32> = 7 4 5 7 4 5
ttile.func @main() results(%x: memref<6xi32>, %y: memref<2x3xi32>) {
  %c2 = arith.constant 2 : index
  %iota = ttile.index affine_map<(d0, d1) -> (d1 + 3)>() : tensor<1x6xindex>
  %values = arith.index_cast %iota : tensor<1x6xindex> to tensor<1x6xi32>
  ttile.store %values, %x through #tview.map<affine_map<(d0, d1) -> (d1)>>() : tensor<1x6xi32> -> memref<6xi32>
  %at = ttile.index affine_map<(d0, d1) -> (d1 - 1)>() : tensor<1x3xindex>
  %g = ttile.load %x through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 + d3 - 1)>, else 7 : i32>(%at, %c2 : tensor<1x3xindex>, index) : memref<6xi32> -> tensor<2x3xi32>
  %h = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 1 + 0)>, else 7 : i32>(%at : tensor<1x3xindex>) : memref<6xi32> -> tensor<2x3xi32>
  %same = ttile.inside affine_set<(d0, d1) : (d1 - 1 >= 0)>() : tensor<1x3xi1>
  %mask = ttile.broadcast %same : tensor<1x3xi1> -> tensor<2x3xi1>
  %r = arith.select %mask, %g, %h : tensor<2x3xi1>, tensor<2x3xi32>
  ttile.store %r, %y through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<2x3xi32> -> memref<2x3xi32>
  ttile.return
}
