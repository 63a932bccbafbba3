// Without an order of their own, sums are a loop of each thread; products stay as they are.
// RUN: tensor-opt %s --kernel-schedule="machine=gpu deterministic=true" | FileCheck %s

// CHECK-LABEL: @rows
// CHECK: #tkernel.schedule<[split m = [m_o, m_i 64], grid [m_o], order [k], tile [m_i], warps 2, edge m mask]>
func.func @rows(%x: tensor<50x1000xf32>) -> tensor<50xf32> {
  %y = tkernel.kernel (%m : 50, %k : 1000) reads(%a = %x : tensor<50x1000xf32>) -> tensor<50xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<50x1000xf32>
    %1 = tkernel.reduce addf %0 over (%k) : f32
    tkernel.store %1, 0[%m] : f32
  }
  return %y : tensor<50xf32>
}

// CHECK-LABEL: @product
// CHECK: order [k_o, k_i], tile [m_i, n_i], unroll k_i, warps 1, stage lhs at k_o local, stage rhs at k_o local
func.func @product(%x: tensor<128x100xf32>, %z: tensor<100x256xf32>) -> tensor<128x256xf32> {
  %y = tkernel.kernel (%m : 128, %n : 256, %k : 100) reads(%a = %x : tensor<128x100xf32>, %b = %z : tensor<100x256xf32>) -> tensor<128x256xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<128x100xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<100x256xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<128x256xf32>
}

// Running sums go from element to element.
// CHECK-LABEL: @running
// CHECK: #tkernel.schedule<[order [j], tile [i], warps 2]>
func.func @running(%x: tensor<64x3000xf32>) -> tensor<64x3000xf32> {
  %y = tkernel.kernel (%i : 64, %j : 3000) reads(%a = %x : tensor<64x3000xf32>) -> tensor<64x3000xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<64x3000xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<64x3000xf32>
}

// Those of integers have one result in any order.
// CHECK-LABEL: @counted
// CHECK: #tkernel.schedule<[{{.*}}tile [{{.*}}j{{.*}}], warps
func.func @counted(%x: tensor<64x3000xi32>) -> tensor<64x3000xi32> {
  %y = tkernel.kernel (%i : 64, %j : 3000) reads(%a = %x : tensor<64x3000xi32>) -> tensor<64x3000xi32> {
    %v = tkernel.load %a[%i, %j] : tensor<64x3000xi32>
    %s = tkernel.scan addi %v over %j : i32
    tkernel.store %s, 0[%i, %j] : i32
  }
  return %y : tensor<64x3000xi32>
}
