// RUN: tensor-opt %s --split-input-file --launch-hoist-initializer="free-bytes=0" | FileCheck %s
// RUN: tensor-opt %s --split-input-file --launch-hoist-initializer="free-bytes=0" --launch-hoist-initializer | FileCheck %s
// RUN: tensor-opt %s --split-input-file --launch-hoist-initializer="max-growth=100" | FileCheck %s --check-prefix=GROWTH
// RUN: tensor-opt %s --split-input-file --launch-hoist-initializer | FileCheck %s --check-prefix=FREE
// RUN: tensor-opt %s --split-input-file --launch-hoist-initializer="free-bytes=0" --launch-plan-arena | FileCheck %s --check-prefix=PLANNED
// RUN: tensor-opt %s --split-input-file --interpret="seed=3" -o %t.before > %t.plain
// RUN: tensor-opt %s --split-input-file --launch-hoist-initializer="free-bytes=0" --launch-plan-arena --interpret="seed=3" -o %t.after > %t.hoisted
// RUN: diff %t.plain %t.hoisted

#id = #tview.map<affine_map<(d0) -> (d0)>>

ttile.func @double(%x: memref<4xf32>) results(%y: memref<4xf32>) {
  %t = ttile.load %x through #id() : memref<4xf32> -> tensor<4xf32>
  %d = arith.addf %t, %t : tensor<4xf32>
  ttile.store %d, %y through #id() : tensor<4xf32> -> memref<4xf32>
  ttile.return
}
ttile.func @add(%a: memref<4xf32>, %b: memref<4xf32>) results(%y: memref<4xf32>) {
  %t = ttile.load %a through #id() : memref<4xf32> -> tensor<4xf32>
  %u = ttile.load %b through #id() : memref<4xf32> -> tensor<4xf32>
  %d = arith.addf %t, %u : tensor<4xf32>
  ttile.store %d, %y through #id() : tensor<4xf32> -> memref<4xf32>
  ttile.return
}
tlaunch.constant @c : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>

// A chain on a constant: what is in between is a temporary, what the call reads stays. The constant
// is still read by the call, too.
// CHECK-LABEL: tlaunch.func @main
// PLANNED-LABEL: tlaunch.func @main
// PLANNED-SAME: attributes {arena_bytes = 64 : i64, live_bytes = 64 : i64}
// CHECK-NEXT: %[[D:.*]] = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>> {
// PLANNED: tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>> attributes {arena_bytes = 64 : i64, live_bytes = 64 : i64}
// CHECK-NEXT:   %[[C:.*]] = tlaunch.get_constant @c
// CHECK-NEXT:   %[[T:.*]] = tlaunch.reserve :
// PLANNED:      tlaunch.reserve at 0 :
// CHECK-NEXT:   tlaunch.launch @double reads(%[[C]] {{.*}}writes(%[[T]] :
// CHECK-NEXT:   %[[P:.*]] = tlaunch.reserve :
// PLANNED:      tlaunch.reserve :
// CHECK-NEXT:   tlaunch.launch @add reads(%[[T]], %[[C]] {{.*}}writes(%[[P]] :
// CHECK-NEXT:   tlaunch.yield %[[P]] :
// CHECK-NEXT: }
// CHECK-NEXT: %[[OUTSIDE:.*]] = tlaunch.get_constant @c
// CHECK-NEXT: %[[R:.*]] = tlaunch.reserve :
// PLANNED:    tlaunch.reserve at 0 :
// CHECK-NEXT: tlaunch.launch @add reads(%{{.*}}, %[[D]] {{.*}}writes(%[[R]] :
// CHECK-NEXT: tlaunch.launch @add reads(%[[R]], %[[OUTSIDE]] {{.*}}writes(%{{.*}} :
// CHECK-NEXT: tlaunch.return
tlaunch.func @main(%x: !tlaunch.buffer<tensor<4xf32>>) results(%y: !tlaunch.buffer<tensor<4xf32>>) names ["x", "y"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<4xf32>>
  %t = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.launch @double reads(%c : !tlaunch.buffer<tensor<4xf32>>) writes(%t : !tlaunch.buffer<tensor<4xf32>>)
  %p = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.launch @add reads(%t, %c : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>>) writes(%p : !tlaunch.buffer<tensor<4xf32>>)
  %r = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.launch @add reads(%x, %p : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>>) writes(%r : !tlaunch.buffer<tensor<4xf32>>)
  tlaunch.launch @add reads(%r, %c : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>>) writes(%y : !tlaunch.buffer<tensor<4xf32>>)
  tlaunch.return
}

// -----

// Larger than allowed for what it comes from: the launch that makes it stays, the one before moves.
#id = #tview.map<affine_map<(d0) -> (d0)>>
ttile.func @double(%x: memref<4xf32>) results(%y: memref<4xf32>) {
  %t = ttile.load %x through #id() : memref<4xf32> -> tensor<4xf32>
  %d = arith.addf %t, %t : tensor<4xf32>
  ttile.store %d, %y through #id() : tensor<4xf32> -> memref<4xf32>
  ttile.return
}
ttile.func @spread(%a: memref<4xf32>) results(%y: memref<32xf32>) {
  %t = ttile.load %a through #tview.map<affine_map<(d0) -> (d0 floordiv 8)>>() : memref<4xf32> -> tensor<32xf32>
  ttile.store %t, %y through #id() : tensor<32xf32> -> memref<32xf32>
  ttile.return
}
ttile.func @add(%a: memref<32xf32>, %b: memref<32xf32>) results(%y: memref<32xf32>) {
  %t = ttile.load %a through #id() : memref<32xf32> -> tensor<32xf32>
  %u = ttile.load %b through #id() : memref<32xf32> -> tensor<32xf32>
  %d = arith.addf %t, %u : tensor<32xf32>
  ttile.store %d, %y through #id() : tensor<32xf32> -> memref<32xf32>
  ttile.return
}
tlaunch.constant @c : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>

// CHECK-LABEL: tlaunch.func @main
// CHECK-NEXT: %[[D:.*]] = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>> {
// CHECK:        tlaunch.launch @double
// CHECK-NEXT:   tlaunch.yield
// CHECK-NEXT: }
// CHECK:      tlaunch.launch @spread reads(%[[D]] :
// CHECK-NEXT: tlaunch.launch @add
// GROWTH: tlaunch.initialize -> !tlaunch.buffer<tensor<32xf32>>
// GROWTH:       tlaunch.launch @spread
// GROWTH:       tlaunch.yield
// FREE: tlaunch.initialize -> !tlaunch.buffer<tensor<32xf32>>
// FREE:        tlaunch.launch @spread
// FREE:        tlaunch.yield
tlaunch.func @main(%x: !tlaunch.buffer<tensor<32xf32>>) results(%y: !tlaunch.buffer<tensor<32xf32>>) names ["x", "y"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<4xf32>>
  %t = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.launch @double reads(%c : !tlaunch.buffer<tensor<4xf32>>) writes(%t : !tlaunch.buffer<tensor<4xf32>>)
  %p = tlaunch.reserve : !tlaunch.buffer<tensor<32xf32>>
  tlaunch.launch @spread reads(%t : !tlaunch.buffer<tensor<4xf32>>) writes(%p : !tlaunch.buffer<tensor<32xf32>>)
  tlaunch.launch @add reads(%x, %p : !tlaunch.buffer<tensor<32xf32>>, !tlaunch.buffer<tensor<32xf32>>) writes(%y : !tlaunch.buffer<tensor<32xf32>>)
  tlaunch.return
}

// -----

// Equal commands on equal constants are one, also through copies and after another.
#id = #tview.map<affine_map<(d0) -> (d0)>>
ttile.func @double(%x: memref<4xf32>) results(%y: memref<4xf32>) {
  %t = ttile.load %x through #id() : memref<4xf32> -> tensor<4xf32>
  %d = arith.addf %t, %t : tensor<4xf32>
  ttile.store %d, %y through #id() : tensor<4xf32> -> memref<4xf32>
  ttile.return
}
ttile.func @add(%a: memref<4xf32>, %b: memref<4xf32>) results(%y: memref<4xf32>) {
  %t = ttile.load %a through #id() : memref<4xf32> -> tensor<4xf32>
  %u = ttile.load %b through #id() : memref<4xf32> -> tensor<4xf32>
  %d = arith.addf %t, %u : tensor<4xf32>
  ttile.store %d, %y through #id() : tensor<4xf32> -> memref<4xf32>
  ttile.return
}
tlaunch.constant @c : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>

// CHECK-LABEL: tlaunch.func @main
// CHECK-NEXT: %[[D:.*]] = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>> {
// CHECK-NEXT:   tlaunch.get_constant @c
// CHECK-NEXT:   tlaunch.reserve
// CHECK-NEXT:   tlaunch.launch @double
// CHECK-NEXT:   tlaunch.reserve
// CHECK-NEXT:   tlaunch.copy
// CHECK-NEXT:   tlaunch.yield
// CHECK-NEXT: }
// CHECK-NEXT: tlaunch.launch @add reads(%[[D]], %[[D]] :
tlaunch.func @main() results(%y: !tlaunch.buffer<tensor<4xf32>>) names ["y"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<4xf32>>
  %d = tlaunch.get_constant @c : !tlaunch.buffer<tensor<4xf32>>
  %t = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.launch @double reads(%c : !tlaunch.buffer<tensor<4xf32>>) writes(%t : !tlaunch.buffer<tensor<4xf32>>)
  %u = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.launch @double reads(%d : !tlaunch.buffer<tensor<4xf32>>) writes(%u : !tlaunch.buffer<tensor<4xf32>>)
  %v = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.copy %t to %v : !tlaunch.buffer<tensor<4xf32>>
  %w = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.copy %u to %w : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.launch @add reads(%v, %w : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>>) writes(%y : !tlaunch.buffer<tensor<4xf32>>)
  tlaunch.return
}

// -----

// A buffer that the call writes as well is no constant, nor is one that nobody writes, nor a result;
// what nobody reads is not worth keeping.
#id = #tview.map<affine_map<(d0) -> (d0)>>
ttile.func @double(%x: memref<4xf32>) results(%y: memref<4xf32>) {
  %t = ttile.load %x through #id() : memref<4xf32> -> tensor<4xf32>
  %d = arith.addf %t, %t : tensor<4xf32>
  ttile.store %d, %y through #id() : tensor<4xf32> -> memref<4xf32>
  ttile.return
}
tlaunch.constant @c : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>

// CHECK-LABEL: tlaunch.func @main
// CHECK-NOT: tlaunch.initialize
tlaunch.func @main(%x: !tlaunch.buffer<tensor<4xf32>>) results(%y: !tlaunch.buffer<tensor<4xf32>>, %z: !tlaunch.buffer<tensor<4xf32>>) names ["x", "y", "z"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<4xf32>>
  %t = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.launch @double reads(%c : !tlaunch.buffer<tensor<4xf32>>) writes(%t : !tlaunch.buffer<tensor<4xf32>>)
  tlaunch.copy %x to %t : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.copy %t to %y : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.launch @double reads(%c : !tlaunch.buffer<tensor<4xf32>>) writes(%z : !tlaunch.buffer<tensor<4xf32>>)
  %u = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.launch @double reads(%c : !tlaunch.buffer<tensor<4xf32>>) writes(%u : !tlaunch.buffer<tensor<4xf32>>)
  tlaunch.return
}

// -----

// The second result of @both is overwritten by what leads to nothing: it moves along.
#id = #tview.map<affine_map<(d0) -> (d0)>>
ttile.func @both(%a: memref<4xf32>) results(%y: memref<4xf32>, %z: memref<4xf32>) {
  %t = ttile.load %a through #id() : memref<4xf32> -> tensor<4xf32>
  %d = arith.addf %t, %t : tensor<4xf32>
  ttile.store %d, %y through #id() : tensor<4xf32> -> memref<4xf32>
  ttile.store %t, %z through #id() : tensor<4xf32> -> memref<4xf32>
  ttile.return
}
tlaunch.constant @c : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>

// CHECK-LABEL: tlaunch.func @main
// CHECK-NEXT: %[[D:.*]] = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>> {
// CHECK:        tlaunch.launch @both
// CHECK:        tlaunch.copy
// CHECK-NEXT:   tlaunch.yield
// CHECK-NEXT: }
// CHECK-NEXT: tlaunch.copy %[[D]] to
tlaunch.func @main() results(%y: !tlaunch.buffer<tensor<4xf32>>) names ["y"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<4xf32>>
  %t = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  %u = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.launch @both reads(%c : !tlaunch.buffer<tensor<4xf32>>) writes(%t, %u : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>>)
  tlaunch.copy %c to %u : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.copy %t to %y : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.return
}

// -----

// What the call reads before it is written again is no constant; equal commands on a buffer that is
// written twice are not equal.
#id = #tview.map<affine_map<(d0) -> (d0)>>
ttile.func @double(%x: memref<4xf32>) results(%y: memref<4xf32>) {
  %t = ttile.load %x through #id() : memref<4xf32> -> tensor<4xf32>
  %d = arith.addf %t, %t : tensor<4xf32>
  ttile.store %d, %y through #id() : tensor<4xf32> -> memref<4xf32>
  ttile.return
}
tlaunch.constant @c : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>

// CHECK-LABEL: tlaunch.func @main
// CHECK-NEXT: %[[D:.*]]:2 = tlaunch.initialize
// CHECK-COUNT-2: tlaunch.launch @double
// CHECK:      tlaunch.yield
// CHECK-NEXT: }
// CHECK:      tlaunch.copy %[[C:.*]] to %[[R:.*]] :
// CHECK-NEXT: tlaunch.copy %[[R]] to
// CHECK-NEXT: tlaunch.launch @double reads(%[[C]] {{.*}}writes(%[[R]] :
// CHECK-NEXT: tlaunch.copy %[[R]] to
// CHECK-NEXT: tlaunch.copy %[[D]]#0 to
// CHECK-NEXT: tlaunch.copy %[[D]]#1 to
tlaunch.func @main() results(%y: !tlaunch.buffer<tensor<4xf32>>, %z: !tlaunch.buffer<tensor<4xf32>>, %v: !tlaunch.buffer<tensor<4xf32>>, %w: !tlaunch.buffer<tensor<4xf32>>) names ["y", "z", "v", "w"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<4xf32>>
  %r = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.copy %c to %r : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.copy %r to %y : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.launch @double reads(%c : !tlaunch.buffer<tensor<4xf32>>) writes(%r : !tlaunch.buffer<tensor<4xf32>>)
  tlaunch.copy %r to %z : !tlaunch.buffer<tensor<4xf32>>
  %t = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  %a = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  %b = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.copy %c to %t : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.copy %t to %a : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.launch @double reads(%a : !tlaunch.buffer<tensor<4xf32>>) writes(%t : !tlaunch.buffer<tensor<4xf32>>)
  tlaunch.launch @double reads(%t : !tlaunch.buffer<tensor<4xf32>>) writes(%b : !tlaunch.buffer<tensor<4xf32>>)
  tlaunch.copy %a to %v : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.copy %b to %w : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.return
}
