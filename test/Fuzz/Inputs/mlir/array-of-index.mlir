// fuzz: tensor-opt --tile-to-vector=lanes=16 --canonicalize --cse
ttile.func @stream(%x: memref<4096xf32>) results(%y: memref<4096xf32>) grid(%i = 256) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>>(%i) {in_bounds = array<index: true>} :-> memref<4096xf32> -> tensor<16xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>>(%i) {in_bounds = array<index: true>, streaming} : tensor<16xf32> -> memref<4096xf32>
  ttile.return
}

ttile.func @between(%x: memref<4100xf32>) results(%y: memref<4100xf32>, %z: memref<4090xf32>) grid(%i = 256) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>>(%i) {in_bounds = array<index: true>} : memref<4100xf32> -> tensor<16xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0 + 4)>>(%i) {in_bounds = array<index: true>, streaming} : tensor<16xf32> -> memref<4100xf32>
  ttile.store %t, %z through #tview.map<affine_map<(d0, d1) -> (d1 * 16 + d0)>>(%i) {streaming} : tensor<16xf32> -> memref<4090xf32>
  ttile.return
}
