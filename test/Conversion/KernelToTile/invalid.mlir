// RUN: tensor-opt %s --kernel-to-launch --kernel-to-tile --split-input-file --verify-diagnostics

func.func @main(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %y = tkernel.kernel (%i : 4, %j : 96) reads(%a = %x : tensor<4x96xf32>) -> tensor<4x96xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], split j = [jo, jt 32], tile [jt], keep e register]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x96xf32>
    // expected-error @+1 {{keep "e" register: a loop lies between its stages, so that it cannot stay in registers; keep it local or in the result, or tile the whole axis [T0311]}}
    %e = math.exp %v {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<4x96xf32>
}

// -----

func.func @main(%x: tensor<4x96xf32>) -> tensor<4x96xf64> {
  %y = tkernel.kernel (%i : 4, %j : 96) reads(%a = %x : tensor<4x96xf32>) -> tensor<4x96xf64>
      attributes {schedule = #tkernel.schedule<[grid [i], split j = [jo, jt 32], tile [jt], keep e result]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x96xf32>
    // expected-error @+1 {{keep "e" result: no result of the kernel has the type and the axes of the value [T0311]}}
    %e = math.exp %v {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    %w = arith.extf %q : f32 to f64
    tkernel.store %w, 0[%i, %j] : f64
  }
  return %y : tensor<4x96xf64>
}
