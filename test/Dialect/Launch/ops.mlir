// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

// CHECK: tlaunch.constant @c0 : tensor<4xf32> = dense<1.000000e+00> : tensor<4xf32>
tlaunch.constant @c0 : tensor<4xf32> = dense<1.0> : tensor<4xf32>

ttile.func @add(%a: memref<4xf32>, %b: memref<4xf32>) results(%y: memref<4xf32>) {
  ttile.return
}

// CHECK: tlaunch.func @main(%{{.*}}: !tlaunch.buffer<tensor<4xf32>>) results(%{{.*}}: !tlaunch.buffer<tensor<4xf32>>) names ["x", "y"] target "host" attributes {arena_bytes = 64 : i64}
tlaunch.func @main(%x: !tlaunch.buffer<tensor<4xf32>>) results(%y: !tlaunch.buffer<tensor<4xf32>>) names ["x", "y"] target "host" attributes {arena_bytes = 64 : i64} {
  // CHECK: %[[C:.*]] = tlaunch.get_constant @c0 : !tlaunch.buffer<tensor<4xf32>>
  %c = tlaunch.get_constant @c0 : !tlaunch.buffer<tensor<4xf32>>
  // CHECK: %[[T:.*]] = tlaunch.reserve at 0 : !tlaunch.buffer<tensor<4xf32>>
  %t = tlaunch.reserve at 0 : !tlaunch.buffer<tensor<4xf32>>
  // CHECK: tlaunch.launch @add reads(%{{.*}}, %[[C]] : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>>) writes(%[[T]] : !tlaunch.buffer<tensor<4xf32>>)
  tlaunch.launch @add reads(%x, %c : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>>) writes(%t : !tlaunch.buffer<tensor<4xf32>>)
  // CHECK: tlaunch.copy %[[T]] to %{{.*}} : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.copy %t to %y : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.return
}

// CHECK-LABEL: tlaunch.func @initialized
tlaunch.func @initialized(%x: !tlaunch.buffer<tensor<4xf32>>) results(%y: !tlaunch.buffer<tensor<4xf32>>) names ["x", "y"] target "host" {
  // CHECK: %[[D:.*]]:2 = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>> attributes {arena_bytes = 16 : i64, live_bytes = 16 : i64} {
  %d:2 = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>> attributes {arena_bytes = 16 : i64, live_bytes = 16 : i64} {
    %c = tlaunch.get_constant @c0 : !tlaunch.buffer<tensor<4xf32>>
    %t = tlaunch.reserve at 0 : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.copy %c to %t : !tlaunch.buffer<tensor<4xf32>>
    %p = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.launch @add reads(%c, %t : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>>) writes(%p : !tlaunch.buffer<tensor<4xf32>>)
    %q = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.copy %p to %q : !tlaunch.buffer<tensor<4xf32>>
    // CHECK: tlaunch.yield %{{.*}}, %{{.*}} : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>>
    tlaunch.yield %p, %q : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>>
  }
  // CHECK: tlaunch.launch @add reads(%[[D]]#0, %[[D]]#1 :
  tlaunch.launch @add reads(%d#0, %d#1 : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>>) writes(%y : !tlaunch.buffer<tensor<4xf32>>)
  tlaunch.return
}
