// Reductions of much memory to few results: parts for programs, and what each of them does with its part.
// RUN: tensor-opt %s --kernel-schedule --kernel-stage-global --kernel-schedule | FileCheck %s
// RUN: tensor-opt %s --kernel-schedule=make-kernels=true | FileCheck %s
// RUN: tensor-opt %s --kernel-schedule="make-kernels=true record=true" | FileCheck %s --check-prefix=RECORD

// The kernel of the program, which combines the parts in the end, says that there are any.
// RECORD-LABEL: @gemv
// RECORD: @kernel_parts
// RECORD-SAME: kernel = "kernel (n 2048, k 8192)", made, schedule = #tkernel.schedule<[split
// RECORD: (%n : 2048, %k_p : 8)
// RECORD-SAME: generator = "parts", schedule = #tkernel.schedule<[rfactor
// RECORD-SAME: kernel = "kernel (n 2048, k 8192)", schedule = #tkernel.schedule<[rfactor

// A vector and a matrix: eight parts of 1,024 rows, in four streams along all of the result, then their sums.
// CHECK-LABEL: @gemv
// CHECK: @kernel_parts (%k_p : 8, %n : 2048, %k_i : 1024)
// CHECK-SAME: split k_i = [k_i_o, k_i_i 4, k_i_r 16], grid [k_p], order [k_i_o, k_i_r, n_o, k_i_i], tile [n_l], unroll k_i_i, keep sum result]
// CHECK: (%n : 2048, %k_p : 8)
func.func @gemv(%x: tensor<8192xf32>, %w: tensor<8192x2048xf32>) -> tensor<2048xf32> {
  %y = tkernel.kernel (%n : 2048, %k : 8192) reads(%a = %x : tensor<8192xf32>, %b = %w : tensor<8192x2048xf32>) -> tensor<2048xf32> {
    %0 = tkernel.load %a[%k] : tensor<8192xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<8192x2048xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%n] : f32
  }
  return %y : tensor<2048xf32>
}

// Columns. The rows are no multiple of anything: what is left is less than 64 of them.
// CHECK-LABEL: @columns
// CHECK: @kernel_parts (%i_p : {{[0-9]+}}, %j : 1009, %i_i : [[LENGTH:[0-9]+]])
// CHECK-SAME: split i_i = [i_i_o, i_i_m 4, i_i_i 16], split j = [j_o, j_i 64], grid [i_p], order [i_i_o, i_i_i, j_o], tile [i_i_m, j_i], keep sum result, edge j peel]
// CHECK: @kernel_rest (%j : 1009, %i_i : {{[0-9][0-9]?}})
// CHECK: (%j : 1009, %i_p : {{[0-9]+}})
func.func @columns(%x: tensor<4099x1009xf32>) -> tensor<1009xf32> {
  %y = tkernel.kernel (%i : 4099, %j : 1009) reads(%a = %x : tensor<4099x1009xf32>) -> tensor<1009xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<4099x1009xf32>
    %s = tkernel.reduce addf %v over (%i) : f32
    tkernel.store %s, 0[%j] : f32
  }
  return %y : tensor<1009xf32>
}

// Everything: the axes are one run of memory.
// CHECK-LABEL: @all
// CHECK: (%ij_p : {{[0-9]+}}, %ij_i : {{[0-9]+}})
// CHECK-SAME: grid [ij_p]
func.func @all(%x: tensor<1000x1009xf32>) -> tensor<1xf32> {
  %y = tkernel.kernel (%o : 1, %i : 1000, %j : 1009) reads(%a = %x : tensor<1000x1009xf32>) -> tensor<1xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<1000x1009xf32>
    %s = tkernel.reduce addf %v over (%i, %j) : f32
    tkernel.store %s, 0[%o] : f32
  }
  return %y : tensor<1xf32>
}

// Rows enough, and what fits the caches, stay one kernel.
// CHECK-LABEL: @rows
// CHECK-NOT: _parts
func.func @rows(%x: tensor<64x100000xf32>, %z: tensor<100x100xf32>) -> (tensor<64xf32>, tensor<100xf32>) {
  %y = tkernel.kernel (%i : 64, %j : 100000) reads(%a = %x : tensor<64x100000xf32>) -> tensor<64xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<64x100000xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  %w = tkernel.kernel (%i : 100, %j : 100) reads(%a = %z : tensor<100x100xf32>) -> tensor<100xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<100x100xf32>
    %s = tkernel.reduce addf %v over (%i) : f32
    tkernel.store %s, 0[%j] : f32
  }
  return %y, %w : tensor<64xf32>, tensor<100xf32>
}
