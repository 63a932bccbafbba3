// RUN: tensor-opt %s --kernel-recompute=memory=16384 | FileCheck %s --check-prefix=ALL
// RUN: tensor-opt %s --kernel-recompute=memory=12288 | FileCheck %s
// RUN: not tensor-opt %s --kernel-recompute=memory=8192 2>&1 | FileCheck %s --check-prefix=LESS
// RUN: tensor-opt %s --interpret="integers=true digits=5" -o %t.ir | grep -v "^//" > %t.apart
// RUN: tensor-opt %s --kernel-recompute=memory=12288 --interpret="integers=true digits=5" -o %t.ir | grep -v "^//" | diff - %t.apart
// Values of 4096 bytes, of which the second function's last kernel but one needs three.

// ALL: module attributes {tkernel.memory = [{after = 0 : i64, again = [], before = 0 : i64, {{.*}}function = "elsewhere"{{.*}}{after = 16384 : i64, again = [], before = 16384 : i64
// LESS: error: 'main' needs an arena of 16384 bytes, expected at most 8192; the least found, with 1 kernels run again, is 12288 [T0502]

// What lies elsewhere needs nothing of it.
// CHECK-LABEL: func.func @elsewhere
// CHECK-COUNT-2: tkernel.kernel
// CHECK-NOT: tkernel.kernel
func.func @elsewhere(%x: tensor<1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %a = tkernel.kernel @first (%i : 1024) reads(%s = %x : tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = tkernel.load %s[%i] : tensor<1024xf32>
    %1 = math.exp %0 : f32
    tkernel.store %1, 0[%i] : f32
  }
  %b = tkernel.kernel @second (%i : 1024) reads(%s = %a : tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = tkernel.load %s[%i] : tensor<1024xf32>
    %1 = math.exp %0 : f32
    tkernel.store %1, 0[%i] : f32
  }
  return %a, %b : tensor<1024xf32>, tensor<1024xf32>
}

// The first one runs again in front of the last.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.+]]: tensor<1024xf32>)
// CHECK: %[[A:.+]] = tkernel.kernel @first {{.*}} reads(%{{.+}} = %[[X]] :
// CHECK: %[[B:.+]] = tkernel.kernel @second {{.*}} reads(%{{.+}} = %[[A]] :
// CHECK: %[[C:.+]] = tkernel.kernel @third {{.*}} reads(%{{.+}} = %[[B]] :
// CHECK: %[[D:.+]] = tkernel.kernel @fourth {{.*}} reads(%{{.+}} = %[[B]] : tensor<1024xf32>, %{{.+}} = %[[C]] :
// CHECK: %[[AGAIN:.+]] = tkernel.kernel @first {{.*}} reads(%{{.+}} = %[[X]] :
// CHECK: tkernel.kernel @fifth {{.*}} reads(%{{.+}} = %[[AGAIN]] : tensor<1024xf32>, %{{.+}} = %[[D]] :
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %a = tkernel.kernel @first (%i : 1024) reads(%s = %x : tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = tkernel.load %s[%i] : tensor<1024xf32>
    %1 = math.sin %0 : f32
    tkernel.store %1, 0[%i] : f32
  }
  %b = tkernel.kernel @second (%i : 1024) reads(%s = %a : tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = tkernel.load %s[%i] : tensor<1024xf32>
    %1 = math.sin %0 : f32
    tkernel.store %1, 0[%i] : f32
  }
  %c = tkernel.kernel @third (%i : 1024) reads(%s = %b : tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = tkernel.load %s[%i] : tensor<1024xf32>
    %1 = math.sin %0 : f32
    tkernel.store %1, 0[%i] : f32
  }
  %d = tkernel.kernel @fourth (%i : 1024) reads(%s = %b : tensor<1024xf32>, %t = %c : tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = tkernel.load %s[%i] : tensor<1024xf32>
    %1 = tkernel.load %t[%i] : tensor<1024xf32>
    %2 = arith.mulf %0, %1 : f32
    tkernel.store %2, 0[%i] : f32
  }
  %e = tkernel.kernel @fifth (%i : 1024) reads(%s = %a : tensor<1024xf32>, %t = %d : tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = tkernel.load %s[%i] : tensor<1024xf32>
    %1 = tkernel.load %t[%i] : tensor<1024xf32>
    %2 = arith.mulf %0, %1 : f32
    tkernel.store %2, 0[%i] : f32
  }
  return %e : tensor<1024xf32>
}
