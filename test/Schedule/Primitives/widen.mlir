// RUN: tensor-opt %s --split-input-file --kernel-to-launch --kernel-to-tile --verify-diagnostics
// Every reason for which the operands of a contraction cannot be extended.

func.func @nowhere(%x: tensor<4x8xf16>, %w: tensor<8x5xf16>) -> tensor<4x5xf32> {
  // expected-error @+1 {{illegal schedule: widen 't' names no value: give the contraction name = "t" [T0310]}}
  %y = tkernel.kernel (%m : 4, %n : 5, %k : 8) reads(%a = %x : tensor<4x8xf16>, %b = %w : tensor<8x5xf16>) -> tensor<4x5xf32>
      attributes {schedule = #tkernel.schedule<[widen t = [p, q]]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<4x8xf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<8x5xf16>
    %2 = tkernel.contract %0, %1 over (%k) {name = "s"} : f16, f16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<4x5xf32>
}

// -----

func.func @load(%x: tensor<4x8xf16>, %w: tensor<8x5xf16>) -> tensor<4x5xf32> {
  // expected-error @+1 {{illegal schedule: widen 'lhs' needs a contraction of bf16 or f16 in wider sums, found load: name the contraction [T0310]}}
  %y = tkernel.kernel (%m : 4, %n : 5, %k : 8) reads(%a = %x : tensor<4x8xf16>, %b = %w : tensor<8x5xf16>) -> tensor<4x5xf32>
      attributes {schedule = #tkernel.schedule<[widen lhs = [p, q]]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<4x8xf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<8x5xf16>
    %2 = tkernel.contract %0, %1 over (%k) {name = "s"} : f16, f16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<4x5xf32>
}

// -----

func.func @wide(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>) -> tensor<4x5xf32> {
  // expected-error @+1 {{illegal schedule: widen 's' needs a contraction of bf16 or f16 in wider sums, found contract of f32: leave it out [T0310]}}
  %y = tkernel.kernel (%m : 4, %n : 5, %k : 8) reads(%a = %x : tensor<4x8xf32>, %b = %w : tensor<8x5xf32>) -> tensor<4x5xf32>
      attributes {schedule = #tkernel.schedule<[widen s = [p, q]]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<4x8xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<8x5xf32>
    %2 = tkernel.contract %0, %1 over (%k) {name = "s"} : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<4x5xf32>
}

// -----

func.func @one_name(%x: tensor<4x8xf16>, %w: tensor<8x5xf16>) -> tensor<4x5xf32> {
  // expected-error @+1 {{illegal schedule: widen 's' gives both operands the name 'p': choose two [T0310]}}
  %y = tkernel.kernel (%m : 4, %n : 5, %k : 8) reads(%a = %x : tensor<4x8xf16>, %b = %w : tensor<8x5xf16>) -> tensor<4x5xf32>
      attributes {schedule = #tkernel.schedule<[widen s = [p, p]]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<4x8xf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<8x5xf16>
    %2 = tkernel.contract %0, %1 over (%k) {name = "s"} : f16, f16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<4x5xf32>
}

// -----

func.func @taken(%x: tensor<4x8xf16>, %w: tensor<8x5xf16>) -> tensor<4x5xf32> {
  // expected-error @+1 {{illegal schedule: widen 's' gives the name 'rhs', which another value has: choose another one [T0310]}}
  %y = tkernel.kernel (%m : 4, %n : 5, %k : 8) reads(%a = %x : tensor<4x8xf16>, %b = %w : tensor<8x5xf16>) -> tensor<4x5xf32>
      attributes {schedule = #tkernel.schedule<[widen s = [p, rhs]]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<4x8xf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<8x5xf16>
    %2 = tkernel.contract %0, %1 over (%k) {name = "s"} : f16, f16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<4x5xf32>
}

// -----

func.func @late(%x: tensor<4x8xf16>, %w: tensor<8x5xf16>) -> tensor<4x5xf32> {
  // expected-error @+1 {{illegal schedule: widen 's' comes after other primitives: it rewrites the kernel, so it belongs to the head of the list [T0310]}}
  %y = tkernel.kernel (%m : 4, %n : 5, %k : 8) reads(%a = %x : tensor<4x8xf16>, %b = %w : tensor<8x5xf16>) -> tensor<4x5xf32>
      attributes {schedule = #tkernel.schedule<[grid [m], widen s = [p, q]]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<4x8xf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<8x5xf16>
    %2 = tkernel.contract %0, %1 over (%k) {name = "s"} : f16, f16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<4x5xf32>
}
