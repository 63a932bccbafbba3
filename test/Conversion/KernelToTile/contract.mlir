// RUN: tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile --canonicalize --cse | FileCheck %s

// CHECK: tlaunch.constant @[[C:.*]] : tensor<16x20xf32> = dense<1.000000e+00> : tensor<16x20xf32>
// CHECK: tlaunch.func @main(%[[X:.*]]: !tlaunch.buffer<tensor<4x16xf32>>, %[[B:.*]]: !tlaunch.buffer<tensor<20xf32>>) results(%[[Y:.*]]: !tlaunch.buffer<tensor<4x20xf32>>) names ["x", "arg1", "y"] target "host"
// CHECK: %[[W:.*]] = tlaunch.get_constant @[[C]]
// CHECK: tlaunch.launch @gemm reads(%[[X]], %[[W]], %[[B]] : {{.*}}) writes(%[[Y]] : {{.*}})

// CHECK: ttile.func @gemm(%[[A:.*]]: memref<4x16xf32>, %[[W:.*]]: memref<16x20xf32>, %[[B:.*]]: memref<20xf32>) results(%[[Y:.*]]: memref<4x20xf32>) {
// CHECK:   %[[ACC:.*]] = scf.for %[[K:.*]] = %{{.*}} to %c16 step %c1 iter_args(%[[C:.*]] = %{{.*}}) -> (tensor<4x20xf32>)
// CHECK:     %[[L:.*]] = ttile.load %[[A]] through #tview.map<affine_map<(d0, d1, d2) -> (d0, d2)>>(%[[K]]) : memref<4x16xf32> -> tensor<4x1xf32>
// CHECK:     %[[R:.*]] = ttile.load %[[W]] through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>(%[[K]]) : memref<16x20xf32> -> tensor<1x20xf32>
// CHECK:     %[[M:.*]] = ttile.mma %[[L]], %[[R]], %[[C]]
// CHECK:     scf.yield %[[M]]
// CHECK:   %[[BIAS:.*]] = ttile.load %[[B]]
// CHECK:   %[[BB:.*]] = ttile.broadcast %[[BIAS]] : tensor<1x20xf32> -> tensor<4x20xf32>
// CHECK:   %[[S:.*]] = arith.addf %[[ACC]], %[[BB]]
// CHECK:   %[[O:.*]] = arith.maximumf %[[S]], %{{.*}}
// CHECK:   ttile.store %[[O]], %[[Y]] through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>()
func.func @main(%x: tensor<4x16xf32> {tgraph.name = "x"}, %b: tensor<20xf32>) -> (tensor<4x20xf32> {tgraph.name = "y"}) {
  %w = tgraph.constant dense<1.0> : tensor<16x20xf32>
  %y = tkernel.kernel @gemm (%i : 4, %j : 20, %k : 16) reads(%a = %x : tensor<4x16xf32>, %bb = %w : tensor<16x20xf32>, %c = %b : tensor<20xf32>) -> tensor<4x20xf32>
      attributes {schedule = #tkernel.schedule<[order [k], tile [i, j]]>} {
    %0 = tkernel.load %a[%i, %k] : tensor<4x16xf32>
    %1 = tkernel.load %bb[%k, %j] : tensor<16x20xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    %3 = tkernel.load %c[%j] : tensor<20xf32>
    %4 = arith.addf %2, %3 : f32
    %z = arith.constant 0.0 : f32
    %5 = arith.maximumf %4, %z : f32
    tkernel.store %5, 0[%i, %j] : f32
  }
  return %y : tensor<4x20xf32>
}
