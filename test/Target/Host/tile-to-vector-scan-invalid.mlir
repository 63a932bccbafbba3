// RUN: tensor-opt %s --tile-to-vector --verify-diagnostics

ttile.func @k(%x : memref<4x16xf32>) results(%y : memref<4x16xf32>) {
  %0 = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : memref<4x16xf32> -> tensor<4x16xf32>
  %b = arith.constant dense<1.0> : tensor<4x1xf32>
  // expected-error @+1 {{'ttile.scan' has 'from', which threads that share a row begin from, and a program of the host is one thread: leave it out and combine it with the result [T0420]}}
  %s, %t = ttile.scan addf %0 from %b dim 1 : tensor<4x16xf32> from tensor<4x1xf32> -> tensor<4x1xf32>
  ttile.store %s, %y through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<4x16xf32> -> memref<4x16xf32>
  ttile.return
}
