// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

ttile.func @step(%a: memref<4xf32>) results(%y: memref<4xf32>) {
  ttile.return
}

// CHECK-LABEL: tlaunch.func @main
tlaunch.func @main(%c: !tlaunch.buffer<tensor<i1>>, %n: !tlaunch.buffer<tensor<i64>>, %xs: !tlaunch.buffer<tensor<10x4xf32>>)
    results(%y: !tlaunch.buffer<tensor<4xf32>>, %ys: !tlaunch.buffer<tensor<10x4xf32>>) names ["c", "n", "xs", "y", "ys"] target "host" {
  %a = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  %b = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  // CHECK: tlaunch.repeat 10 {
  // CHECK-NEXT: %[[X:.*]] = tlaunch.part %{{.*}} : !tlaunch.buffer<tensor<10x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
  // CHECK-NEXT: %[[Y:.*]] = tlaunch.part reverse %{{.*}} : !tlaunch.buffer<tensor<10x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
  // CHECK-NEXT: tlaunch.copy %[[X]] to %[[Y]]
  // CHECK-NEXT: }
  tlaunch.repeat 10 {
    %x = tlaunch.part %xs : !tlaunch.buffer<tensor<10x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
    %z = tlaunch.part reverse %ys : !tlaunch.buffer<tensor<10x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
    tlaunch.copy %x to %z : !tlaunch.buffer<tensor<4xf32>>
  }
  // CHECK: tlaunch.repeat %{{.*}} : !tlaunch.buffer<tensor<i64>> limit 4096 {
  tlaunch.repeat %n : !tlaunch.buffer<tensor<i64>> limit 4096 {
    // CHECK: tlaunch.if %{{.*}} : !tlaunch.buffer<tensor<i1>> {
    // CHECK-NEXT: tlaunch.launch
    // CHECK-NEXT: } else {
    // CHECK-NEXT: tlaunch.copy
    // CHECK-NEXT: }
    tlaunch.if %c : !tlaunch.buffer<tensor<i1>> {
      tlaunch.launch @step reads(%a : !tlaunch.buffer<tensor<4xf32>>) writes(%b : !tlaunch.buffer<tensor<4xf32>>)
    } else {
      tlaunch.copy %a to %b : !tlaunch.buffer<tensor<4xf32>>
    }
    // CHECK-NEXT: tlaunch.rotate %{{.*}}, %{{.*}} : !tlaunch.buffer<tensor<4xf32>>
    // CHECK-NEXT: }
    tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<4xf32>>
  }
  // CHECK: tlaunch.while %{{.*}} : !tlaunch.buffer<tensor<i1>> limit 7 {
  // CHECK-NEXT: tlaunch.if %{{.*}} : !tlaunch.buffer<tensor<i1>> {
  // CHECK-NEXT: } {note}
  // CHECK-NEXT: }
  tlaunch.while %c : !tlaunch.buffer<tensor<i1>> limit 7 {
    tlaunch.if %c : !tlaunch.buffer<tensor<i1>> {
    } {note}
  }
  tlaunch.copy %a to %y : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.return
}

// CHECK-LABEL: tlaunch.func @sizes
tlaunch.func @sizes(%xs: !tlaunch.buffer<tensor<64x4xf32, #tview.sizes<[T, 4]>>>) results(%y: !tlaunch.buffer<tensor<4xf32>>) names ["xs", "y"] target "host"
    attributes {tgraph.symbols = {T = #tgraph.symbol<min = 1, max = 64, step = 1>}} {
  // CHECK: tlaunch.repeat #tview.sizes<[T]> {
  // CHECK-NEXT: tlaunch.part %{{.*}} : !tlaunch.buffer<tensor<64x4xf32, #tview.sizes<[T, 4]>>> -> !tlaunch.buffer<tensor<4xf32>>
  tlaunch.repeat #tview.sizes<[T]> {
    %x = tlaunch.part %xs : !tlaunch.buffer<tensor<64x4xf32, #tview.sizes<[T, 4]>>> -> !tlaunch.buffer<tensor<4xf32>>
    tlaunch.copy %x to %y : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// Of an argument whose memory becomes a result's, the side that does not write the result may read what it held: one of them runs.
// CHECK-LABEL: tlaunch.func @sides_of_an_alias
tlaunch.func @sides_of_an_alias(%x: !tlaunch.buffer<tensor<4xf32>>, %c: !tlaunch.buffer<tensor<i1>>) results(%y: !tlaunch.buffer<tensor<4xf32>>, %z: !tlaunch.buffer<tensor<4xf32>>) names ["x", "c", "y", "z"] target "host" attributes {aliases = array<i64: 0, -1>} {
  tlaunch.if %c : !tlaunch.buffer<tensor<i1>> {
    tlaunch.copy %x to %y : !tlaunch.buffer<tensor<4xf32>>
  } else {
    // CHECK: } else {
    // CHECK-NEXT: tlaunch.copy %{{.*}} to
    // CHECK-NEXT: tlaunch.copy %{{.*}} to
    tlaunch.copy %x to %z : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.copy %x to %y : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// CHECK-LABEL: tlaunch.func @chosen
tlaunch.func @chosen(%x: !tlaunch.buffer<tensor<64xf32, #tview.sizes<[S]>>>) results(%y: !tlaunch.buffer<tensor<64xf32, #tview.sizes<[S]>>>) names ["x", "y"] target "host" {
  // CHECK: tlaunch.when "S" from 1 to 8 {
  // CHECK-NEXT: tlaunch.launch @step
  // CHECK-NEXT: } else {
  // CHECK-NEXT: tlaunch.copy
  // CHECK-NEXT: }
  tlaunch.when "S" from 1 to 8 {
    tlaunch.launch @step reads(%x : !tlaunch.buffer<tensor<64xf32, #tview.sizes<[S]>>>) writes(%y : !tlaunch.buffer<tensor<64xf32, #tview.sizes<[S]>>>)
  } else {
    tlaunch.copy %x to %y : !tlaunch.buffer<tensor<64xf32, #tview.sizes<[S]>>>
  }
  tlaunch.return
}
