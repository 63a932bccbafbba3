// RUN: tensor-opt %s --kernel-to-launch --split-input-file --verify-diagnostics | FileCheck %s

// Equal kernels are one function; a result that is an argument, or comes twice, is copied.
// CHECK: tlaunch.constant @[[C:.*]] : tensor<4xf32> = dense<1.000000e+00> : tensor<4xf32>
// CHECK-NOT: tlaunch.constant
// CHECK: tlaunch.func @main(%[[X:.*]]: !tlaunch.buffer<tensor<4xf32>>) results(%[[R0:.*]]: {{.*}}, %[[R1:.*]]: {{.*}}, %[[R2:.*]]: {{.*}}, %[[R3:.*]]: {{.*}}) names ["x", "a", "result1", "result2", "result3"] target "host"
// CHECK:   tlaunch.get_constant @[[C]]
// CHECK:   %[[W:.*]] = tlaunch.get_constant @[[C]]
// CHECK:   %[[T:.*]] = tlaunch.reserve
// CHECK:   tlaunch.launch @twice reads(%[[X]] : {{.*}}) writes(%[[T]]
// CHECK:   tlaunch.launch @twice reads(%[[T]] : {{.*}}) writes(%[[R0]]
// CHECK-DAG:   tlaunch.copy %[[R0]] to %[[R1]]
// CHECK-DAG:   tlaunch.copy %[[X]] to %[[R2]]
// CHECK-DAG:   tlaunch.copy %[[W]] to %[[R3]]
// CHECK: func.func private @twice(%[[A:.*]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NOT: func.func
func.func @main(%x: tensor<4xf32> {tgraph.name = "x"}) -> (tensor<4xf32> {tgraph.name = "a"}, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = tgraph.constant dense<1.0> : tensor<4xf32>
  %c2 = tgraph.constant dense<1.0> : tensor<4xf32>
  %y = tkernel.kernel @twice (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    %s = arith.addf %v, %v : f32
    tkernel.store %s, 0[%i] : f32
  }
  %z = tkernel.kernel @other_name (%i : 4) reads(%a = %y : tensor<4xf32>) -> tensor<4xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    %s = arith.addf %v, %v : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %z, %z, %x, %c2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected kernels and constants only, found 'tgraph.neg'; view-to-kernel should have removed it [T0312]}}
  %y = tgraph.neg %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
