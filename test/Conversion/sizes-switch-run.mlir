// A product with a panel of bf16 and a switch behind the tiles of a block gives at tile stage what the kernel says, at
// sizes without, within and behind a block, and where one block is all. The loop over blocks may be in the grid or in
// the order, around the one over tiles.
// RUN: rm -rf %t && mkdir %t
// RUN: sed 's/m_b 2/m_b 8/' %s > %t/one.mlir
// RUN: sed 's/grid .m_o., order .n_o, m_b, k./order [m_o, n_o, m_b, k]/; s/at grid local/at m_o local/' %s > %t/order.mlir
// RUN: sed 's/grid .m_o., order .n_o, m_b, k./order [m_b, n_o, m_o, k]/; s/ stage rows as (m_b, k, m_r) at grid local,//' %s > %t/wrong.mlir
// RUN: not tensor-opt %t/wrong.mlir --kernel-stage-global 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: edge 'm' switch needs an axis of two parts, the inner one in the tile, or three, a loop inside of the outer one between
// RUN: tensor-opt %s --settle-sizes=sizes=S=0 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/kernel.txt
// RUN: tensor-opt %s --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=0 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %t/one.mlir --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=0 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %t/order.mlir --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=0 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %s --settle-sizes=sizes=S=1 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/kernel.txt
// RUN: tensor-opt %s --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=1 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %t/one.mlir --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=1 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %t/order.mlir --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=1 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %s --settle-sizes=sizes=S=2 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/kernel.txt
// RUN: tensor-opt %s --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=2 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %s --settle-sizes=sizes=S=5 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/kernel.txt
// RUN: tensor-opt %s --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=5 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %s --settle-sizes=sizes=S=7 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/kernel.txt
// RUN: tensor-opt %s --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=7 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %s --settle-sizes=sizes=S=12 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/kernel.txt
// RUN: tensor-opt %s --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=12 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %s --settle-sizes=sizes=S=13 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/kernel.txt
// RUN: tensor-opt %s --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=13 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %t/one.mlir --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=13 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %t/order.mlir --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=13 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %s --settle-sizes=sizes=S=23 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/kernel.txt
// RUN: tensor-opt %s --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=23 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %s --settle-sizes=sizes=S=31 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/kernel.txt
// RUN: tensor-opt %s --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=31 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %s --settle-sizes=sizes=S=40 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/kernel.txt
// RUN: tensor-opt %s --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=40 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %t/one.mlir --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=40 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: tensor-opt %t/order.mlir --kernel-stage-global --kernel-to-launch=target=host --launch-plan-arena --kernel-to-tile --settle-sizes=sizes=S=40 --interpret="seed=3 integers=true check-races=true" -o /dev/null > %t/tile.txt && cmp %t/kernel.txt %t/tile.txt
// RUN: FileCheck %s --input-file=%t/tile.txt
// CHECK: result 0
func.func @main(%a: tensor<40x12xbf16, #tview.sizes<[S, 12]>>, %b: tensor<20x12xbf16>) -> tensor<40x20xf32, #tview.sizes<[S, 20]>> attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 40, step = 1>}} {
  %0 = tkernel.kernel (%m : S <= 40, %n : 20, %k : 12) reads(%x = %a : tensor<40x12xbf16, #tview.sizes<[S, 12]>>, %y = %b : tensor<20x12xbf16>) -> tensor<40x20xf32, #tview.sizes<[S, 20]>>
      attributes {schedule = #tkernel.schedule<[widen sum = [rows, columns], split m = [m_o, m_b 2, m_r 6], split n = [n_o, n_l 8], grid [m_o], order [n_o, m_b, k], tile [m_r, n_l], stage narrow as (n_o, k, n_l) at kernel global, stage rows as (m_b, k, m_r) at grid local, edge n peel, edge m switch]>} {
    %1 = tkernel.load %x[%m, %k] : tensor<40x12xbf16, #tview.sizes<[S, 12]>>
    %2 = tkernel.load %y[%n, %k] {name = "narrow"} : tensor<20x12xbf16>
    %3 = tkernel.contract %1, %2 over(%k) {name = "sum"} : bf16, bf16 -> f32
    tkernel.store %3, 0[%m, %n] : f32
  }
  return %0 : tensor<40x20xf32, #tview.sizes<[S, 20]>>
}
