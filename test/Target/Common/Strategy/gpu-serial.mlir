// Rows where the threads of a group run one after another: one thread, and vectors.
// RUN: tensor-opt %s --kernel-schedule="machine=gpu traits=serialLanes=16" --split-input-file | FileCheck %s
// RUN: tensor-opt %s --split-input-file --interpret="integers=true digits=5" -o /dev/null > %t.kernel
// RUN: tensor-opt %s --split-input-file --kernel-schedule="machine=gpu traits=serialLanes=16" --kernel-to-launch --kernel-to-tile --canonicalize --cse --tile-prove-bounds --interpret="integers=true digits=5" -o /dev/null | diff %t.kernel -

// What two stages use is kept in the result if a function is computed for it.
// CHECK: schedule = #tkernel.schedule<[split j = [j_o, j_i 64], grid [i], order [j_o], tile [j_i], keep kept result]>
// CHECK: math.exp {{.*}} {name = "kept"}
func.func @main(%x: tensor<13x256xf32>) -> tensor<13x256xf32> {
  %y = tkernel.kernel (%i : 13, %j : 256) reads(%a = %x : tensor<13x256xf32>) -> tensor<13x256xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<13x256xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<13x256xf32>
}

// -----

// The last columns are peeled off.
// CHECK: schedule = #tkernel.schedule<[split j = [j_o, j_i 8], grid [i], order [j_o], tile [j_i], edge j peel]>
func.func @main(%x: tensor<13x251xf32>) -> tensor<13xf32> {
  %y = tkernel.kernel (%i : 13, %j : 251) reads(%a = %x : tensor<13x251xf32>) -> tensor<13xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<13x251xf32>
    %m = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %m, 0[%i] : f32
  }
  return %y : tensor<13xf32>
}

// -----

// Short rows; and what is computed in f64 is computed one by one.
// CHECK: schedule = #tkernel.schedule<[split j = [j_o, j_i 8], grid [i], order [j_o], tile [j_i], edge j mask]>
// CHECK: schedule = #tkernel.schedule<[split j = [j_o, j_i 8], grid [i], order [j_o], tile [j_i]]>
func.func @main(%x: tensor<4x5xf32>, %z: tensor<4x128xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = tkernel.kernel (%i : 4, %j : 5) reads(%a = %x : tensor<4x5xf32>) -> tensor<4xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<4x5xf32>
    %m = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %m, 0[%i] : f32
  }
  %w = tkernel.kernel (%i : 4, %j : 128) reads(%a = %z : tensor<4x128xf32>) -> tensor<4xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<4x128xf32>
    %u = math.cos %v : f32
    %m = tkernel.reduce addf %u over (%j) : f32
    tkernel.store %m, 0[%i] : f32
  }
  return %y, %w : tensor<4xf32>, tensor<4xf32>
}
