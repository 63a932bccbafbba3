// RUN: tensor-opt %s --split-input-file --interpret --verify-diagnostics -o /dev/null | FileCheck %s

tlaunch.constant @c : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
ttile.func @double(%x: memref<4xf32>) results(%y: memref<4xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<4xf32> -> tensor<4xf32>
  %d = arith.addf %t, %t : tensor<4xf32>
  ttile.store %d, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<4xf32> -> memref<4xf32>
  ttile.return
}
// CHECK: result 0 : tensor<4xf32> = 4 8 12 16
// CHECK: result 1 : tensor<4xf32> = 2 4 6 8
tlaunch.func @main() results(%y: !tlaunch.buffer<tensor<4xf32>>, %z: !tlaunch.buffer<tensor<4xf32>>) names ["y", "z"] target "host" attributes {arena_bytes = 64 : i64} {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<4xf32>>
  %t = tlaunch.reserve at 0 : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.launch @double reads(%c : !tlaunch.buffer<tensor<4xf32>>) writes(%t : !tlaunch.buffer<tensor<4xf32>>)
  tlaunch.launch @double reads(%t : !tlaunch.buffer<tensor<4xf32>>) writes(%y : !tlaunch.buffer<tensor<4xf32>>)
  tlaunch.copy %t to %z : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.return
}

// -----

// Two living buffers at one place, and one that nobody wrote: both show in the numbers.
tlaunch.constant @c : tensor<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
tlaunch.constant @d : tensor<2xf32> = dense<[5.0, 6.0]> : tensor<2xf32>
// CHECK: result 0 : tensor<2xf32> = 5 6
// CHECK: result 1 : tensor<2xf32> = nan nan
tlaunch.func @main() results(%y: !tlaunch.buffer<tensor<2xf32>>, %z: !tlaunch.buffer<tensor<2xf32>>) names ["y", "z"] target "host" attributes {arena_bytes = 128 : i64} {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<2xf32>>
  %d = tlaunch.get_constant @d : !tlaunch.buffer<tensor<2xf32>>
  %t = tlaunch.reserve at 0 : !tlaunch.buffer<tensor<2xf32>>
  %u = tlaunch.reserve at 0 : !tlaunch.buffer<tensor<2xf32>>
  %v = tlaunch.reserve at 64 : !tlaunch.buffer<tensor<2xf32>>
  tlaunch.copy %c to %t : !tlaunch.buffer<tensor<2xf32>>
  tlaunch.copy %d to %u : !tlaunch.buffer<tensor<2xf32>>
  tlaunch.copy %t to %y : !tlaunch.buffer<tensor<2xf32>>
  tlaunch.copy %v to %z : !tlaunch.buffer<tensor<2xf32>>
  tlaunch.return
}

// -----

tlaunch.func @main() results() names [] target "host" attributes {arena_bytes = 64 : i64} {
  // expected-error @+1 {{'tlaunch.reserve' op lies outside of the arena of 64 bytes [T0705]}}
  %t = tlaunch.reserve at 64 : !tlaunch.buffer<tensor<2xf32>>
  tlaunch.return
}

// -----

// A launch that reads from a byte on.
tlaunch.constant @c : tensor<3x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
ttile.func @double(%x: memref<1x2xf32>) results(%y: memref<2xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (0, d0)>>() : memref<1x2xf32> -> tensor<2xf32>
  %d = arith.addf %t, %t : tensor<2xf32>
  ttile.store %d, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<2xf32> -> memref<2xf32>
  ttile.return
}
// CHECK: result 0 : tensor<2xf32> = 6 8
tlaunch.func @main() results(%y: !tlaunch.buffer<tensor<2xf32>>) names ["y"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<3x2xf32>>
  tlaunch.launch @double reads(%c : !tlaunch.buffer<tensor<3x2xf32>>) writes(%y : !tlaunch.buffer<tensor<2xf32>>) {offsets = array<i64: 8>}
  tlaunch.return
}

// -----

// One that would read beyond the end.
tlaunch.constant @c : tensor<3x2xf32> = dense<1.0> : tensor<3x2xf32>
ttile.func @copy(%x: memref<1x2xf32>) results(%y: memref<2xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (0, d0)>>() : memref<1x2xf32> -> tensor<2xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<2xf32> -> memref<2xf32>
  ttile.return
}
tlaunch.func @main() results(%y: !tlaunch.buffer<tensor<2xf32>>) names ["y"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<3x2xf32>>
  // expected-error @+1 {{reads beyond the end of buffer 0}}
  tlaunch.launch @copy reads(%c : !tlaunch.buffer<tensor<3x2xf32>>) writes(%y : !tlaunch.buffer<tensor<2xf32>>) {offsets = array<i64: 20>}
  tlaunch.return
}
