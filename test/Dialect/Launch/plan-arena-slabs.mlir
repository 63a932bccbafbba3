// RUN: tensor-opt %s --launch-plan-arena="max-slab=512 max-binding=256 alignment=256" | FileCheck %s
// RUN: tensor-opt %s --launch-plan-arena="max-slab=512 max-binding=256 alignment=256" --interpret="seed=1" -o /dev/null | FileCheck %s --check-prefix=INTERPRETED
// RUN: not tensor-opt %s --launch-plan-arena="max-binding=255" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BINDING

ttile.func @copy(%a: memref<64xf32>) results(%y: memref<64xf32>) {
  %t = ttile.load %a through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : memref<64xf32> -> tensor<64xf32>
  ttile.store %t, %y through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true>} : tensor<64xf32> -> memref<64xf32>
  ttile.return
}

// Three of 256 bytes are alive at once, two of which fit a slab.
// CHECK: arena_bytes = 768 : i64, live_bytes = 768 : i64
// CHECK-COUNT-2: tlaunch.reserve at {{0|256}} :
// CHECK: tlaunch.reserve at 0 in 1 :

// INTERPRETED: result 0 : tensor<64xf32> = {{-?0\.[0-9]+ -?0\.}}

// BINDING: error: argument 'x' 'tensor<64xf32>' of 256 bytes is larger than the 255 bytes that a buffer of target vulkan may span [T0409]
// BINDING: error: result 'y' 'tensor<64xf32>' of 256 bytes
// BINDING: error: tensor 'tensor<64xf32>' of 256 bytes is larger

tlaunch.func @main(%x: !tlaunch.buffer<tensor<64xf32>>) results(%y: !tlaunch.buffer<tensor<64xf32>>) names ["x", "y"] target "vulkan" {
  %a = tlaunch.reserve : !tlaunch.buffer<tensor<64xf32>>
  %b = tlaunch.reserve : !tlaunch.buffer<tensor<64xf32>>
  %c = tlaunch.reserve : !tlaunch.buffer<tensor<64xf32>>
  tlaunch.launch @copy reads(%x : !tlaunch.buffer<tensor<64xf32>>) writes(%a : !tlaunch.buffer<tensor<64xf32>>)
  tlaunch.launch @copy reads(%x : !tlaunch.buffer<tensor<64xf32>>) writes(%b : !tlaunch.buffer<tensor<64xf32>>)
  tlaunch.launch @copy reads(%a : !tlaunch.buffer<tensor<64xf32>>) writes(%c : !tlaunch.buffer<tensor<64xf32>>)
  tlaunch.launch @copy reads(%b : !tlaunch.buffer<tensor<64xf32>>) writes(%y : !tlaunch.buffer<tensor<64xf32>>)
  tlaunch.launch @copy reads(%c : !tlaunch.buffer<tensor<64xf32>>) writes(%y : !tlaunch.buffer<tensor<64xf32>>)
  tlaunch.return
}
