// Points that a store brings to one element keep their order: such axes are loops, in the order of the kernel.
// RUN: tensor-opt %s --split-input-file --verify-diagnostics --kernel-schedule

func.func @grid(%x: tensor<80xf32>, %u: tensor<4x6xf32>, %i: tensor<4x6xi64>) -> tensor<80xf32> {
  // expected-error @+1 {{'i0' has points that a store brings to one element in their order: leave it a loop}}
  %0 = tkernel.kernel (%i0 : 4, %j : 6) reads(%a = %x : tensor<80xf32>, %b = %u : tensor<4x6xf32>, %c = %i : tensor<4x6xi64>) -> tensor<80xf32> attributes {schedule = #tkernel.schedule<[grid [i0]]>} {
    %1 = tkernel.load %b[%i0, %j] : tensor<4x6xf32>
    %2 = tkernel.load %c[%i0, %j] : tensor<4x6xi64>
    %3 = arith.index_cast %2 : i64 to index
    tkernel.store addf %1, 0[0] at (%3) into %a : f32, tensor<80xf32>
  }
  return %0 : tensor<80xf32>
}

// -----

func.func @tile(%x: tensor<80xf32>, %u: tensor<4x6xf32>, %i: tensor<4x6xi64>) -> tensor<80xf32> {
  // expected-error @+1 {{'j' has points that a store brings to one element in their order: leave it a loop}}
  %0 = tkernel.kernel (%i0 : 4, %j : 6) reads(%a = %x : tensor<80xf32>, %b = %u : tensor<4x6xf32>, %c = %i : tensor<4x6xi64>) -> tensor<80xf32> attributes {schedule = #tkernel.schedule<[order [i0], tile [j]]>} {
    %1 = tkernel.load %b[%i0, %j] : tensor<4x6xf32>
    %2 = tkernel.load %c[%i0, %j] : tensor<4x6xi64>
    %3 = arith.index_cast %2 : i64 to index
    tkernel.store addf %1, 0[0] at (%3) into %a : f32, tensor<80xf32>
  }
  return %0 : tensor<80xf32>
}

// -----

func.func @order(%x: tensor<80xf32>, %u: tensor<4x6xf32>, %i: tensor<4x6xi64>) -> tensor<80xf32> {
  // expected-error @+1 {{a store comes to one element in the order of its axes, 'i0' before 'j': order them so}}
  %0 = tkernel.kernel (%i0 : 4, %j : 6) reads(%a = %x : tensor<80xf32>, %b = %u : tensor<4x6xf32>, %c = %i : tensor<4x6xi64>) -> tensor<80xf32> attributes {schedule = #tkernel.schedule<[order [j, i0]]>} {
    %1 = tkernel.load %b[%i0, %j] : tensor<4x6xf32>
    %2 = tkernel.load %c[%i0, %j] : tensor<4x6xi64>
    %3 = arith.index_cast %2 : i64 to index
    tkernel.store addf %1, 0[0] at (%3) into %a : f32, tensor<80xf32>
  }
  return %0 : tensor<80xf32>
}
