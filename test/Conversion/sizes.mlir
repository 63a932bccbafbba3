// Sizes that a call settles, from the graph to a tile program.
// RUN: tensor-opt %s --pass-pipeline='builtin.module(func.func(graph-to-view,view-to-kernel))' | FileCheck %s --check-prefix=KERNEL
// RUN: tensor-opt %s --pass-pipeline='builtin.module(func.func(graph-to-view,view-to-kernel),kernel-to-launch,kernel-to-tile)' | FileCheck %s --check-prefix=TILE
// RUN: tensor-opt %s --pass-pipeline='builtin.module(func.func(graph-to-view,view-to-kernel),settle-sizes{sizes=P=3,S=5})' | FileCheck %s --check-prefix=SETTLED
// RUN: not tensor-opt %s --pass-pipeline='builtin.module(func.func(graph-to-view,view-to-kernel),settle-sizes{sizes=P=3})' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tensor-opt %s --pass-pipeline='builtin.module(func.func(graph-to-view,view-to-kernel),settle-sizes{sizes=P=17,S=1})' 2>&1 | FileCheck %s --check-prefix=BEYOND

// KERNEL: tkernel.kernel @concat (%i : P + S <= 24, %j : 4) reads(%{{.*}} : tensor<16x4xf32, #tview.sizes<[P, 4]>>, %{{.*}} : tensor<8x4xf32, #tview.sizes<[S, 4]>>) -> tensor<24x4xf32, #tview.sizes<[P + S, 4]>>
// KERNEL: %[[END:.*]] = tkernel.size <[P]>
// KERNEL: tkernel.load %{{.*}}[%i - %[[END]], %j]
// KERNEL: arith.cmpi slt, %i, %[[END]] : index

// TILE: ttile.func @concat(%[[A:.*]]: memref<64xf32>, %{{.*}}: memref<32xf32>) results(%{{.*}}: memref<96xf32>) symbols(%P = P <= 16, %S = S <= 8)
// TILE: %[[SIZE:.*]] = affine.apply #{{.*}}(%P, %S)
// TILE: arith.minsi
// TILE: ttile.load %[[A]] through {{.*}} {in_bounds = array<i1: true>} : memref<64xf32>

// SETTLED: tkernel.kernel @concat (%i : 8, %j : 4) reads(%{{.*}} : tensor<3x4xf32>, %{{.*}} : tensor<5x4xf32>) -> tensor<8x4xf32>
// SETTLED: arith.constant 3 : index

// UNKNOWN: option sizes: symbol '{{P|S}}' has no value, or sizes are not from 0 to the most that they come to
// BEYOND: option sizes: symbol '{{P|S}}' has no value, or sizes are not from 0 to the most that they come to
func.func @main(%a: tensor<?x4xf32, #tgraph.dims<[P, 4]>>, %b: tensor<?x4xf32, #tgraph.dims<[S, 4]>>)
    -> tensor<?x4xf32, #tgraph.dims<[P + S, 4]>>
    attributes {tgraph.symbols = {P = #tgraph.symbol<min = 0, max = 16, step = 1>, S = #tgraph.symbol<min = 1, max = 8, step = 1>}} {
  %y = tgraph.concat %a, %b dim 0 : tensor<?x4xf32, #tgraph.dims<[P, 4]>>, tensor<?x4xf32, #tgraph.dims<[S, 4]>> -> tensor<?x4xf32, #tgraph.dims<[P + S, 4]>>
  return %y : tensor<?x4xf32, #tgraph.dims<[P + S, 4]>>
}
