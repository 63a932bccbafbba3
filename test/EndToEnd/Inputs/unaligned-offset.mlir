// A launch that reads from the third element on.
ttile.func @double(%x: memref<2xf32>) results(%y: memref<2xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<2xf32> -> tensor<2xf32>
  %d = arith.addf %t, %t : tensor<2xf32>
  ttile.store %d, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<2xf32> -> memref<2xf32>
  ttile.return
}
tlaunch.func @main(%x: !tlaunch.buffer<tensor<4xf32>>) results(%y: !tlaunch.buffer<tensor<2xf32>>) names ["x", "y"] target "host" {
  tlaunch.launch @double reads(%x : !tlaunch.buffer<tensor<4xf32>>) writes(%y : !tlaunch.buffer<tensor<2xf32>>) {offsets = array<i64: 8>}
  tlaunch.return
}
