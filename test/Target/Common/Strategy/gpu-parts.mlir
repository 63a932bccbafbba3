// Few results of long reductions, and few long scans: programs for parts of them, and a kernel that combines them.
// RUN: tensor-opt %s --kernel-schedule=machine=gpu --kernel-stage-global --kernel-schedule=machine=gpu --split-input-file | FileCheck %s
// RUN: tensor-opt %s --kernel-schedule="machine=gpu deterministic" --split-input-file | FileCheck %s --check-prefix=EXACT
// RUN: tensor-opt %s --split-input-file --interpret="integers=true digits=5" -o /dev/null > %t.kernel
// RUN: tensor-opt %s --split-input-file --kernel-schedule=machine=gpu --kernel-stage-global --kernel-schedule=machine=gpu --kernel-to-launch --kernel-to-tile --canonicalize --cse --tile-prove-bounds --interpret="integers=true digits=5" -o /dev/null | diff %t.kernel -
// EXACT-NOT: rfactor

// Everything into one number, in parts of the merged axis and a rest.
// CHECK:      @total_parts (%i_j_p : 6, %i_j_i : 8320) {{.*}} -> tensor<6xi64> attributes {schedule = #tkernel.schedule<[split i_j_i = [i_j_i_o, i_j_i_i 2048], grid [i_j_p], order [i_j_i_o], tile [i_j_i_i], warps 8, edge i_j_i mask]>}
// CHECK:      @total_rest (%i_j_i : 80)
// CHECK:      @total (%i_j_p : 6) {{.*}} attributes {schedule
func.func @main(%x: tensor<500x100xi64>) -> tensor<i64> {
  %y = tkernel.kernel @total (%i : 500, %j : 100) reads(%a = %x : tensor<500x100xi64>) -> tensor<i64> {
    %v = tkernel.load %a[%i, %j] : tensor<500x100xi64>
    %m = tkernel.reduce addi %v over (%i, %j) : i64
    tkernel.store %m, 0[] : i64
  }
  return %y : tensor<i64>
}

// -----

// Where memory runs along the results, a program has a warp of them.
// CHECK: @columns_parts (%i_p : 5, %j : 40, %i_i : 384) {{.*}} grid [i_p_j_o], order [i_i_o], tile [i_i_i, i_p_j_i], warps 8
// CHECK: @columns (
func.func @main(%x: tensor<2000x40xf32>) -> tensor<40xf32> {
  %y = tkernel.kernel @columns (%j : 40, %i : 2000) reads(%a = %x : tensor<2000x40xf32>) -> tensor<40xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<2000x40xf32>
    %m = tkernel.reduce addf %v over (%i) : f32
    tkernel.store %m, 0[%j] : f32
  }
  return %y : tensor<40xf32>
}

// -----

// A product of few results, with what is computed from it behind.
// CHECK: @product_parts (%k_p : 6, %m : 3, %k_i : 8320) {{.*}} grid [k_p_m]
// CHECK: @product (
// CHECK:   arith.maximumf
func.func @main(%x: tensor<3x50000xf32>, %w: tensor<50000xf32>) -> tensor<3xf32> {
  %y = tkernel.kernel @product (%m : 3, %k : 50000) reads(%a = %x : tensor<3x50000xf32>, %b = %w : tensor<50000xf32>) -> tensor<3xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<3x50000xf32>
    %1 = tkernel.load %b[%k] : tensor<50000xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    %z = arith.constant 0.0 : f32
    %3 = arith.maximumf %2, %z : f32
    tkernel.store %3, 0[%m] : f32
  }
  return %y : tensor<3xf32>
}

// -----

// Results enough, or too little for each of them: one kernel.
// CHECK-NOT: parts
// CHECK: @many
// CHECK: @short
func.func @main(%x: tensor<70x2000xf32>, %s: tensor<9000xf32>) -> (tensor<70xf32>, tensor<f32>) {
  %y = tkernel.kernel @many (%i : 70, %j : 2000) reads(%a = %x : tensor<70x2000xf32>) -> tensor<70xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<70x2000xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    tkernel.store %m, 0[%i] : f32
  }
  %z = tkernel.kernel @short (%j : 9000) reads(%a = %s : tensor<9000xf32>) -> tensor<f32> {
    %v = tkernel.load %a[%j] : tensor<9000xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    tkernel.store %m, 0[] : f32
  }
  return %y, %z : tensor<70xf32>, tensor<f32>
}

// -----

// One long row is scanned in parts, whose totals are scanned; rows enough are not.
// CHECK: @sums_parts (%j_p : 7, %j_i : 8192) {{.*}} grid [j_p]
// CHECK: @sums_totals (%j_p : 7)
// CHECK: @sums (%j : 50000)
// CHECK-NOT: parts
// CHECK: @rows (%i : 64, %j : 50000)
func.func @main(%x: tensor<1x50000xi64>, %z: tensor<64x50000xi8>) -> (tensor<1x50000xi64>, tensor<64x50000xi8>) {
  %y = tkernel.kernel @sums (%j : 50000) reads(%a = %x : tensor<1x50000xi64>) -> tensor<1x50000xi64> {
    %v = tkernel.load %a[0, %j] : tensor<1x50000xi64>
    %s = tkernel.scan addi %v over %j : i64
    tkernel.store %s, 0[0, %j] : i64
  }
  %w = tkernel.kernel @rows (%i : 64, %j : 50000) reads(%a = %z : tensor<64x50000xi8>) -> tensor<64x50000xi8> {
    %v = tkernel.load %a[%i, %j] : tensor<64x50000xi8>
    %s = tkernel.scan addi %v over %j : i8
    tkernel.store %s, 0[%i, %j] : i8
  }
  return %y, %w : tensor<1x50000xi64>, tensor<64x50000xi8>
}
