// RUN: tensor-opt %s --kernel-verify --split-input-file --verify-diagnostics

func.func @graph(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tgraph.neg' op is not legal in the kernel stage; view-to-kernel removes it [T0331]}}
  %0 = tgraph.neg %x : tensor<4xf32>
  // expected-error @+1 {{'tgraph.relu' op is not legal in the kernel stage; graph-decompose removes it [T0331]}}
  %1 = tgraph.relu %0 : tensor<4xf32>
  // expected-error @+1 {{'tgraph.flip' op is not legal in the kernel stage; graph-to-view removes it [T0331]}}
  %2 = tgraph.flip %1 dims [0] : tensor<4xf32>
  // expected-error @+1 {{'tview.materialize' op is not legal in the kernel stage; view-to-kernel removes it [T0331]}}
  %3 = tview.materialize %2 : tensor<4xf32>
  // expected-error @+1 {{'arith.constant' op is not legal in the kernel stage [T0331]}}
  %c = arith.constant 1 : index
  return %3 : tensor<4xf32>
}

// -----

func.func @dynamic(%x: tensor<?xf32>) {
  // expected-error @+1 {{'tkernel.kernel' op expected static shapes, found 'tensor<?xf32>' [T0332]}}
  %0 = tkernel.kernel (%i : 4) reads(%a = %x : tensor<?xf32>) -> tensor<?xf32> {
    %1 = tkernel.load %a[%i] : tensor<?xf32>
    tkernel.store %1, 0[%i] : f32
  }
  return
}

// -----

func.func @bindings(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'tkernel.kernel' op expected at most 16 operands and results, found 17 [T0333]}}
  %0 = tkernel.kernel () reads(%a = %x : tensor<f32>, %b = %x : tensor<f32>, %c = %x : tensor<f32>,
      %d = %x : tensor<f32>, %e = %x : tensor<f32>, %f = %x : tensor<f32>, %g = %x : tensor<f32>,
      %h = %x : tensor<f32>, %i = %x : tensor<f32>, %j = %x : tensor<f32>, %k = %x : tensor<f32>,
      %l = %x : tensor<f32>, %m = %x : tensor<f32>, %n = %x : tensor<f32>, %o = %x : tensor<f32>,
      %p = %x : tensor<f32>) -> tensor<f32> {
    %1 = tkernel.load %a[] : tensor<f32>
    tkernel.store %1, 0[] : f32
  }
  return %0 : tensor<f32>
}

// -----

func.func @legal(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %c = tgraph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %x, %c : tensor<4xf32>, tensor<2xf32>
}
