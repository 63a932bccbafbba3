// State from the graph to the launch program: what is appended where there is room is stored there alone.
// RUN: tensor-opt %s --pass-pipeline='builtin.module(func.func(graph-to-view,view-to-kernel))' | FileCheck %s --check-prefix=KERNEL
// RUN: tensor-opt %s --pass-pipeline='builtin.module(func.func(graph-to-view,view-to-kernel),kernel-to-launch)' | tensor-opt | FileCheck %s --check-prefix=LAUNCH
// RUN: tensor-opt %s --pass-pipeline='builtin.module(func.func(graph-to-view,view-to-kernel),kernel-to-launch,kernel-to-tile)' | tensor-opt | FileCheck %s --check-prefix=TILE

// KERNEL-LABEL: func.func @append(
// KERNEL-SAME: %[[C:.*]]: tensor<2x16x4xf32, #tview.sizes<[2, P, 4] in [2, 32, 4]>> {tgraph.alias = 0 : i64}
// KERNEL: tkernel.kernel @update (%i : 2, %j : S <= 8, %k : 4) reads(%{{.*}} = %{{.*}} : tensor<2x8x4xf32, #tview.sizes<[2, S, 4]>>, %[[OLD:.*]] = %[[C]] : {{.*}}) -> tensor<2x24x4xf32, #tview.sizes<[2, P + S, 4] in [2, 32, 4]>>
// KERNEL: %[[END:.*]] = tkernel.size <[P]>
// KERNEL: tkernel.store %{{.*}}, 0[%i, %j, %k] at (%{{.*}}, %[[END]], %{{.*}}) into %[[OLD]] : f32, tensor<2x16x4xf32, #tview.sizes<[2, P, 4] in [2, 32, 4]>>

// LAUNCH-LABEL: tlaunch.func @append(
// LAUNCH-SAME: aliases = array<i64: 0, -1>
// LAUNCH-NOT: tlaunch.copy
// LAUNCH: tlaunch.launch @update reads(%{{.*}} : !tlaunch.buffer<tensor<2x8x4xf32, {{.*}}>>) writes(

// TILE: ttile.func @update(%[[X:.*]]: memref<64xf32>) results(%[[Y:.*]]: memref<256xf32>)
// TILE-SAME: updated = array<i64: 0>
// TILE: ttile.store %{{.*}}, %[[Y]]
func.func @append(%c: tensor<2x?x4xf32, #tgraph.dims<[2, P, 4]>> {tgraph.alias = 0 : i64, tgraph.storage = #tgraph.dims<[2, 32, 4]>}, %x: tensor<2x?x4xf32, #tgraph.dims<[2, S, 4]>>)
    -> tensor<2x?x4xf32, #tgraph.dims<[2, P + S, 4]>>
    attributes {tgraph.symbols = {P = #tgraph.symbol<min = 0, max = 16, step = 1>, S = #tgraph.symbol<min = 1, max = 8, step = 1>}} {
  %y = tgraph.concat %c, %x dim 1 : tensor<2x?x4xf32, #tgraph.dims<[2, P, 4]>>, tensor<2x?x4xf32, #tgraph.dims<[2, S, 4]>> -> tensor<2x?x4xf32, #tgraph.dims<[2, P + S, 4]>>
  return %y : tensor<2x?x4xf32, #tgraph.dims<[2, P + S, 4]>>
}

// The old state is read after the update: it is kept, and the update goes to its place at the end.
// LAUNCH-LABEL: tlaunch.func @read_later(
// LAUNCH: %[[NEW:.*]] = tlaunch.reserve
// LAUNCH: tlaunch.copy %[[OLD:.*]] to %[[NEW]]
// LAUNCH: tlaunch.launch @update{{.*}} writes(%[[NEW]]
// LAUNCH: tlaunch.launch @{{.*}} reads(%[[OLD]]
// LAUNCH: tlaunch.copy %[[NEW]] to %{{.*}}
func.func @read_later(%c: tensor<8xf32> {tgraph.alias = 0 : i64}, %x: tensor<2xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = tgraph.update_slice %c, %x at <[3]> : tensor<8xf32>, tensor<2xf32> -> tensor<8xf32>
  %z = tgraph.mul %c, %y : tensor<8xf32>
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}

// LAUNCH-LABEL: tlaunch.func @swap
// LAUNCH-SAME: (%[[A:.*]]: !tlaunch.buffer<tensor<8xf32>>, %[[B:.*]]: !tlaunch.buffer<tensor<8xf32>>) results(%[[A1:.*]]: !tlaunch.buffer<tensor<8xf32>>, %[[B1:.*]]: !tlaunch.buffer<tensor<8xf32>>)
// LAUNCH: %[[OLD_B:.*]] = tlaunch.reserve
// LAUNCH: tlaunch.copy %[[B]] to %[[OLD_B]]
// LAUNCH: %[[OLD_A:.*]] = tlaunch.reserve
// LAUNCH: tlaunch.copy %[[A]] to %[[OLD_A]]
// LAUNCH: tlaunch.copy %[[OLD_B]] to %[[A1]]
// LAUNCH: tlaunch.copy %[[OLD_A]] to %[[B1]]
func.func @swap(%a: tensor<8xf32> {tgraph.alias = 0 : i64}, %b: tensor<8xf32> {tgraph.alias = 1 : i64}) -> (tensor<8xf32>, tensor<8xf32>) {
  return %b, %a : tensor<8xf32>, tensor<8xf32>
}
