// RUN: tensor-opt %s --split-input-file --interpret --verify-diagnostics -o /dev/null

ttile.func @main(%x: memref<4xf32>) results(%y: memref<4xf32>) grid(%i = 3) {
  // expected-error @+1 {{'ttile.load' op accesses 'tensor<4xf32>' at [4], which was proved to be inside [T0705]}}
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0 + d1 * 2)>>(%i) {in_bounds = array<i1: true>} : memref<4xf32> -> tensor<2xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d0 + d1 * 2)>>(%i) : tensor<2xf32> -> memref<4xf32>
  ttile.return
}

// -----

ttile.func @main(%x: memref<4xi32>) results(%y: memref<4xi32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<4xi32> -> tensor<4xi32>
  %z = arith.constant dense<0> : tensor<4xi32>
  // expected-error-re @+1 {{'arith.divui' op poison: the result is undefined for {{-?[0-9]+}}, 0 [T0704]}}
  %d = arith.divui %t, %z : tensor<4xi32>
  ttile.store %d, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<4xi32> -> memref<4xi32>
  ttile.return
}

// -----

ttile.func @main() results(%y: memref<4xi32>) {
  %t = arith.constant dense<0> : tensor<4xi32>
  // expected-error @+1 {{'math.ctpop' op cannot be interpreted in a tile program [T0701]}}
  %d = math.ctpop %t : tensor<4xi32>
  ttile.store %d, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<4xi32> -> memref<4xi32>
  ttile.return
}

// -----

ttile.func @main() results(%y: memref<4xf32>) {
  // expected-error @+1 {{'arith.constant' op yields 'tensor<4xf6E2M3FN>', which is not held [T0702]}}
  %t = arith.constant dense<0.0> : tensor<4xf6E2M3FN>
  ttile.return
}
