// RUN: tensor-opt %s --launch-copy-parts=alignment=256 | FileCheck %s
// RUN: tensor-opt %s --launch-copy-parts | FileCheck %s --check-prefix=ANYWHERE
// RUN: tensor-opt %s --interpret=elements=200 -o /dev/null > %t.plain
// RUN: tensor-opt %s --launch-copy-parts=alignment=256 --launch-plan-arena --interpret=elements=200 -o /dev/null > %t.copied
// RUN: diff %t.plain %t.copied

ttile.func @add(%a: memref<4xf32>, %b: memref<4xf32>) results(%y: memref<4xf32>) {
  %t = ttile.load %a through #tview.map<affine_map<(d0) -> (d0)>>() : memref<4xf32> -> tensor<4xf32>
  %u = ttile.load %b through #tview.map<affine_map<(d0) -> (d0)>>() : memref<4xf32> -> tensor<4xf32>
  %d = arith.addf %t, %u : tensor<4xf32>
  ttile.store %d, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<4xf32> -> memref<4xf32>
  ttile.return
}

// A row of 16 bytes is copied, each once, and what it is read for is too; one of 256 is bound where it lies, its rows
// are not.
// CHECK: tlaunch.repeat 3 {
// CHECK-NEXT: %[[X:.*]] = tlaunch.part %{{.*}}tensor<3x4xf32>
// CHECK-NEXT: %[[Y:.*]] = tlaunch.part reverse
// CHECK-NEXT: %[[A:.*]] = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
// CHECK-NEXT: tlaunch.copy %[[X]] to %[[A]]
// CHECK-NEXT: %[[B:.*]] = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
// CHECK-NEXT: tlaunch.launch @add reads(%[[A]], %[[A]] {{.*}} writes(%[[B]] :
// CHECK-NEXT: tlaunch.copy %[[B]] to %[[Y]]
// CHECK-NEXT: %[[WIDE:.*]] = tlaunch.part %{{.*}} -> !tlaunch.buffer<tensor<16x4xf32>>
// CHECK-NEXT: tlaunch.launch @wide reads(%[[WIDE]] {{.*}} writes(%[[WIDE]] :
// CHECK-NEXT: tlaunch.repeat 2 {
// CHECK-NEXT:   %[[ROW:.*]] = tlaunch.part %[[WIDE]]
// CHECK-NEXT:   %[[C:.*]] = tlaunch.reserve
// CHECK-NEXT:   tlaunch.launch @add {{.*}} writes(%[[C]] :
// CHECK-NEXT:   tlaunch.copy %[[C]] to %[[ROW]]
// ANYWHERE-NOT: tlaunch.reserve
ttile.func @wide(%a: memref<16x4xf32>) results(%y: memref<16x4xf32>) {
  ttile.return
}
tlaunch.func @main(%x: !tlaunch.buffer<tensor<3x4xf32>>, %w: !tlaunch.buffer<tensor<4xf32>>) results(%y: !tlaunch.buffer<tensor<3x4xf32>>, %z: !tlaunch.buffer<tensor<3x16x4xf32>>) names ["x", "w", "y", "z"] target "host" {
  tlaunch.repeat 3 {
    %p = tlaunch.part %x : !tlaunch.buffer<tensor<3x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
    %q = tlaunch.part reverse %y : !tlaunch.buffer<tensor<3x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
    tlaunch.launch @add reads(%p, %p : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>>) writes(%q : !tlaunch.buffer<tensor<4xf32>>)
    %v = tlaunch.part %z : !tlaunch.buffer<tensor<3x16x4xf32>> -> !tlaunch.buffer<tensor<16x4xf32>>
    tlaunch.launch @wide reads(%v : !tlaunch.buffer<tensor<16x4xf32>>) writes(%v : !tlaunch.buffer<tensor<16x4xf32>>)
    tlaunch.repeat 2 {
      %r = tlaunch.part %v : !tlaunch.buffer<tensor<16x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
      tlaunch.launch @add reads(%w, %w : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<4xf32>>) writes(%r : !tlaunch.buffer<tensor<4xf32>>)
    }
  }
  tlaunch.return
}
