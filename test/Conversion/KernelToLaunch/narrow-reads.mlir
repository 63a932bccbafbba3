// RUN: tensor-opt %s --kernel-to-launch --split-input-file | FileCheck %s
// RUN: tensor-opt %s --kernel-to-launch=offset-alignment=0 --split-input-file | FileCheck %s --check-prefix=WHOLE

// Two steps that read different rows of one tensor are one kernel.
// CHECK-LABEL: tlaunch.func @steps(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !tlaunch.buffer<tensor<3x1x64xf32>>
// CHECK:         tlaunch.launch @step reads(%[[X]], %{{.*}}) writes({{.*}}) {offsets = array<i64: 256, 0>}
// CHECK:         tlaunch.launch @step reads(%[[X]], %{{.*}}) writes({{.*}}) {offsets = array<i64: 512, 0>}
// CHECK:       func.func private @step(%{{.*}}: tensor<1x1x64xf32>, %{{.*}}: tensor<64xf32>)
// CHECK:         tkernel.load %{{.*}}[0, 0, %{{.*}}] : tensor<1x1x64xf32>
// CHECK-NOT:   func.func private
// WHOLE-LABEL: tlaunch.func @steps(
// WHOLE-NOT:   offsets
// WHOLE-COUNT-2: func.func private
func.func @steps(%x: tensor<3x1x64xf32>, %h: tensor<64xf32>) -> tensor<64xf32> {
  %a = tkernel.kernel @step (%i : 64) reads(%s = %x : tensor<3x1x64xf32>, %t = %h : tensor<64xf32>) -> tensor<64xf32> {
    %0 = tkernel.load %s through #tview.map<affine_map<(d0) -> (1, 0, d0)>>(%i) : tensor<3x1x64xf32>
    %1 = tkernel.load %t[%i] : tensor<64xf32>
    %2 = arith.addf %0, %1 : f32
    tkernel.store %2, 0[%i] : f32
  }
  %b = tkernel.kernel @step (%i : 64) reads(%s = %x : tensor<3x1x64xf32>, %t = %a : tensor<64xf32>) -> tensor<64xf32> {
    %0 = tkernel.load %s through #tview.map<affine_map<(d0) -> (2, 0, d0)>>(%i) : tensor<3x1x64xf32>
    %1 = tkernel.load %t[%i] : tensor<64xf32>
    %2 = arith.addf %0, %1 : f32
    tkernel.store %2, 0[%i] : f32
  }
  return %b : tensor<64xf32>
}

// -----

// Several rows: from the first to the last. Behind a dimension of one place the next one may be narrower, too.
// CHECK-LABEL: tlaunch.func @several(
// CHECK:         {offsets = array<i64: 1536>}
// CHECK:       func.func private @k(%{{.*}}: tensor<1x3x64xf32>)
// CHECK:         [0, 2, %{{.*}}] : tensor<1x3x64xf32>
// CHECK:         [0, 0, %{{.*}}] : tensor<1x3x64xf32>
func.func @several(%x: tensor<2x5x64xf32>) -> tensor<64xf32> {
  %y = tkernel.kernel @k (%i : 64) reads(%s = %x : tensor<2x5x64xf32>) -> tensor<64xf32> {
    %0 = tkernel.load %s through #tview.map<affine_map<(d0) -> (1, 3, d0)>>(%i) : tensor<2x5x64xf32>
    %1 = tkernel.load %s through #tview.map<affine_map<(d0) -> (1, 1, d0)>>(%i) : tensor<2x5x64xf32>
    %2 = arith.addf %0, %1 : f32
    tkernel.store %2, 0[%i] : f32
  }
  return %y : tensor<64xf32>
}

// -----

// What is not aligned, not constant or outside stays: rows of 12 bytes, a moving row, a row beside the tensor.
// CHECK-LABEL: tlaunch.func @stays(
// CHECK-NOT:     offsets
// CHECK:       func.func private @k(%{{.*}}: tensor<5x3xf32>, %{{.*}}: tensor<64x64xf32>, %{{.*}}: tensor<4x64xf32>)
func.func @stays(%x: tensor<5x3xf32>, %y: tensor<64x64xf32>, %z: tensor<4x64xf32>) -> tensor<64xf32> {
  %r = tkernel.kernel @k (%i : 64) reads(%a = %x : tensor<5x3xf32>, %b = %y : tensor<64x64xf32>, %c = %z : tensor<4x64xf32>) -> tensor<64xf32> {
    %0 = tkernel.load %a through #tview.map<affine_map<(d0) -> (1, d0 mod 3)>>(%i) : tensor<5x3xf32>
    %1 = tkernel.load %b[%i, %i] : tensor<64x64xf32>
    %2 = tkernel.load %c through #tview.map<affine_map<(d0) -> (4, d0)>, else 1.0 : f32>(%i) : tensor<4x64xf32>
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    tkernel.store %4, 0[%i] : f32
  }
  return %r : tensor<64xf32>
}

// -----

// Nor are rows that a kernel's parts read in a loop, whose memory changes places.
// CHECK-LABEL: tlaunch.func @parts_in_loop(
// CHECK:         tlaunch.when "S" from 1 to 1 {
// CHECK-NOT:     offsets
// CHECK:         tlaunch.rotate
func.func @parts_in_loop(%h: tensor<2x64xf32>, %x: tensor<8x64xf32, #tview.sizes<[S, 64]>>) -> tensor<2x64xf32> attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 8, step = 1>}} {
  %r = tgraph.for 3 carried(%s = %h : tensor<2x64xf32>) -> tensor<2x64xf32> {
    %y = tkernel.kernel @k (%i : 2, %j : 64, %m : S <= 8) reads(%a = %s : tensor<2x64xf32>, %b = %x : tensor<8x64xf32, #tview.sizes<[S, 64]>>) -> tensor<2x64xf32>
        attributes {tkernel.variants = [{apart = @one, least = 1 : i64, most = 1 : i64, symbol = "S"}]} {
      %0 = tkernel.load %a through #tview.map<affine_map<(d0) -> (1, d0)>>(%j) : tensor<2x64xf32>
      %1 = tkernel.load %b[%m, %j] : tensor<8x64xf32, #tview.sizes<[S, 64]>>
      %2 = tkernel.reduce addf %1 over (%m) : f32
      %3 = arith.addf %0, %2 : f32
      tkernel.store %3, 0[%i, %j] : f32
    }
    tgraph.yield %y : tensor<2x64xf32>
  }
  return %r : tensor<2x64xf32>
}
func.func private @one(%s: tensor<2x64xf32>, %x: tensor<1x64xf32>) -> tensor<2x64xf32> attributes {tkernel.positions = []} {
  %y = tkernel.kernel @k (%i : 2, %j : 64) reads(%a = %s : tensor<2x64xf32>, %b = %x : tensor<1x64xf32>) -> tensor<2x64xf32> {
    %0 = tkernel.load %a through #tview.map<affine_map<(d0) -> (1, d0)>>(%j) : tensor<2x64xf32>
    %1 = tkernel.load %b through #tview.map<affine_map<(d0) -> (0, d0)>>(%j) : tensor<1x64xf32>
    %2 = arith.addf %0, %1 : f32
    tkernel.store %2, 0[%i, %j] : f32
  }
  return %y : tensor<2x64xf32>
}
