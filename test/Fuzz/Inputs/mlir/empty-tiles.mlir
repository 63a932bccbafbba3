// fuzz: tensor-compile -o /dev/null --target=cuda:sm_90a
ttile.func @relu(%x: memref<4096xf32>) results(%y: memref<4096xf32>) grid(%i = 4) warps(8) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 0 + d0)>>(%i) : memref<4096xf32> -> tensor<0xf32>
  %z = arith.constant dense<0.0> : tensor<0xf32>
  %r = arith.maximumf %t, %z : tensor<0xf32>
  ttile.store %r, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 0 + d0)>>(%i) : tensor<0xf32> -> memref<4096xf32>
  ttile.return
}

ttile.func @sums(%x: memref<64x1000xf32>) results(%y: memref<64xf32>) grid(%i = 64) warps(8) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>(%i) : memref<64x1000xf32> -> tensor<1x0xf32>
  %s = ttile.reduce addf %t dims [1] : tensor<1x0xf32> -> tensor<1x1xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1, d2) -> (d2)>>(%i) : tensor<1x1xf32> -> memref<64xf32>
  ttile.return
}

ttile.func @folded(%x: memref<10000x7x32xi1>) results(%y: memref<7x10000x32xi1>) grid(%i = 10000, %j = 7) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2, d0)>>(%i, %j) : memref<10000x7x32xi1> -> tensor<32xi1>
  %one = arith.constant dense<true> : tensor<32xi1>
  %n = arith.xori %t, %one : tensor<32xi1>
  ttile.store %n, %y through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1, d0)>>(%i, %j) : tensor<32xi1> -> memref<7x10000x32xi1>
  ttile.return
}

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

ttile.func @small(%x: memref<1xf32>) results(%y: memref<1xf32>, %z: memref<4xi32>) warps(1) {
  %t = ttile.load %x through #tview.map<affine_map<() -> (0)>>() : memref<1xf32> -> tensor<f32>
  ttile.store %t, %y through #tview.map<affine_map<() -> (0)>>() : tensor<f32> -> memref<1xf32>
  %c = arith.constant dense<[3, 1, 4, 1]> : tensor<4xi32>
  ttile.store %c, %z through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<4xi32> -> memref<4xi32>
  ttile.return
}
