// RUN: tensor-opt %s --launch-plan-arena | FileCheck %s

ttile.func @f(%a: memref<64xf32>) results(%y: memref<64xf32>) {
  ttile.return
}

// a is dead when c is written: they share bytes. At most two are alive at once.
// CHECK: arena_bytes = 512 : i64, live_bytes = 512 : i64
// CHECK: %[[A:.*]] = tlaunch.reserve at [[P:[0-9]+]] :
// CHECK: %[[B:.*]] = tlaunch.reserve at {{[0-9]+}} :
// CHECK: %[[C:.*]] = tlaunch.reserve at [[P]] :
tlaunch.func @main(%x: !tlaunch.buffer<tensor<64xf32>>) results(%y: !tlaunch.buffer<tensor<64xf32>>) names ["x", "y"] target "host" {
  %a = tlaunch.reserve : !tlaunch.buffer<tensor<64xf32>>
  tlaunch.launch @f reads(%x : !tlaunch.buffer<tensor<64xf32>>) writes(%a : !tlaunch.buffer<tensor<64xf32>>)
  %b = tlaunch.reserve : !tlaunch.buffer<tensor<64xf32>>
  tlaunch.launch @f reads(%a : !tlaunch.buffer<tensor<64xf32>>) writes(%b : !tlaunch.buffer<tensor<64xf32>>)
  %c = tlaunch.reserve : !tlaunch.buffer<tensor<64xf32>>
  tlaunch.launch @f reads(%b : !tlaunch.buffer<tensor<64xf32>>) writes(%c : !tlaunch.buffer<tensor<64xf32>>)
  tlaunch.launch @f reads(%c : !tlaunch.buffer<tensor<64xf32>>) writes(%y : !tlaunch.buffer<tensor<64xf32>>)
  tlaunch.return
}
