// RUN: tensor-opt %s --split-input-file --launch-hoist-initializer | FileCheck %s
// RUN: tensor-opt %s --split-input-file --interpret="seed=3" -o %t.before > %t.plain
// RUN: tensor-opt %s --split-input-file --launch-hoist-initializer --launch-plan-arena --interpret="seed=3" -o %t.after > %t.hoisted
// RUN: diff %t.plain %t.hoisted

// What depends on constants alone leaves sides and loops, with its memory.
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
// CHECK-NEXT: %[[D:.*]] = tlaunch.initialize
// CHECK-NEXT:   tlaunch.get_constant
// CHECK-NEXT:   tlaunch.reserve
// CHECK-NEXT:   tlaunch.launch @double
// CHECK-NEXT:   tlaunch.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[A:.*]] = tlaunch.reserve
// CHECK-NEXT: %[[B:.*]] = tlaunch.reserve
// CHECK-NEXT: tlaunch.copy %{{.*}} to %[[A]]
// CHECK-NEXT: tlaunch.repeat 2 {
// CHECK-NEXT:   tlaunch.if %{{.*}} {
// CHECK-NEXT:     tlaunch.launch @add reads(%[[A]], %[[D]] {{.*}} writes(%[[B]] :
// CHECK-NEXT:   } else {
// CHECK-NEXT:     tlaunch.copy %[[A]] to %[[B]]
// CHECK-NEXT:   }
// CHECK-NEXT:   tlaunch.rotate
// CHECK-NEXT: }
tlaunch.func @main(%x: !tlaunch.buffer<tensor<4xf32>>, %q: !tlaunch.buffer<tensor<i1>>) results(%y: !tlaunch.buffer<tensor<4xf32>>) names ["x", "q", "y"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<4xf32>>
  %a = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  %b = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.copy %x to %a : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.repeat 2 {
    tlaunch.if %q : !tlaunch.buffer<tensor<i1>> {
      %t = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
      tlaunch.launch @double reads(%c : !tlaunch.buffer<tensor<4xf32>>) writes(%t : !tlaunch.buffer<tensor<4xf32>>)
      tlaunch.launch @add reads(%a, %t : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>>) writes(%b : !tlaunch.buffer<tensor<4xf32>>)
    } else {
      tlaunch.copy %a to %b : !tlaunch.buffer<tensor<4xf32>>
    }
    tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.copy %a to %y : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.return
}

// -----

// What each side writes differently stays, as does what a loop reads before it writes it.
tlaunch.constant @c : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
tlaunch.constant @d : tensor<4xf32> = dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>
// CHECK-LABEL: tlaunch.func @main
// CHECK-NOT: tlaunch.initialize
tlaunch.func @main(%q: !tlaunch.buffer<tensor<i1>>) results(%y: !tlaunch.buffer<tensor<4xf32>>, %z: !tlaunch.buffer<tensor<4xf32>>) names ["q", "y", "z"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<4xf32>>
  %d = tlaunch.get_constant @d : !tlaunch.buffer<tensor<4xf32>>
  %t = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.if %q : !tlaunch.buffer<tensor<i1>> {
    tlaunch.copy %c to %t : !tlaunch.buffer<tensor<4xf32>>
  } else {
    tlaunch.copy %d to %t : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.copy %t to %y : !tlaunch.buffer<tensor<4xf32>>
  %u = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  %v = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.repeat 2 {
    tlaunch.copy %u to %v : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.copy %c to %u : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.copy %v to %z : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.return
}

// -----

// A part of what is derived is read in place; what is written by parts is not derived.
tlaunch.constant @c : tensor<2x4xf32> = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
// CHECK-LABEL: tlaunch.func @main
// CHECK: %[[D:.*]] = tlaunch.initialize -> !tlaunch.buffer<tensor<2x4xf32>> {
// CHECK: tlaunch.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[P:.*]] = tlaunch.reserve : !tlaunch.buffer<tensor<2x4xf32>>
// CHECK-NEXT: tlaunch.repeat
// CHECK-NEXT: %[[X:.*]] = tlaunch.part %[[D]]
// CHECK-NEXT: %[[Y:.*]] = tlaunch.part reverse %[[P]]
// CHECK-NEXT: tlaunch.copy %[[X]] to %[[Y]]
tlaunch.func @main() results(%y: !tlaunch.buffer<tensor<2x4xf32>>) names ["y"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<2x4xf32>>
  %t = tlaunch.reserve : !tlaunch.buffer<tensor<2x4xf32>>
  %p = tlaunch.reserve : !tlaunch.buffer<tensor<2x4xf32>>
  tlaunch.copy %c to %t : !tlaunch.buffer<tensor<2x4xf32>>
  tlaunch.repeat 2 {
    %x = tlaunch.part %t : !tlaunch.buffer<tensor<2x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
    %z = tlaunch.part reverse %p : !tlaunch.buffer<tensor<2x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
    tlaunch.copy %x to %z : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.copy %p to %y : !tlaunch.buffer<tensor<2x4xf32>>
  tlaunch.return
}
