// RUN: tensor-opt %s --kernel-schedule --split-input-file --verify-diagnostics

func.func @reopened_loop(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  // expected-error @+1 {{illegal schedule: keep 'e' register: the loop over 'jo' lies between its stages, so that it cannot stay in registers; keep it local or in the result, or tile the whole axis [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 96) reads(%a = %x : tensor<4x96xf32>) -> tensor<4x96xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], split j = [jo, jt 32], tile [jt], keep e register]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x96xf32>
    %e = math.exp %v {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<4x96xf32>
}

// -----

// The loop over rows is open all the time, the axis of the sum in the tile.
func.func @shared_loop(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %y = tkernel.kernel (%i : 4, %j : 96) reads(%a = %x : tensor<4x96xf32>) -> tensor<4x96xf32>
      attributes {schedule = #tkernel.schedule<[order [i], tile [j], keep e register]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x96xf32>
    %e = math.exp %v {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<4x96xf32>
}

// -----

func.func @no_result(%x: tensor<4x96xf32>) -> tensor<4x96xf64> {
  // expected-error @+1 {{illegal schedule: keep 'e' result: no result of the kernel has the type and the axes of the value: keep it local [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 96) reads(%a = %x : tensor<4x96xf32>) -> tensor<4x96xf64>
      attributes {schedule = #tkernel.schedule<[grid [i], split j = [jo, jt 32], tile [jt], keep e result]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x96xf32>
    %e = math.exp %v {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    %w = arith.extf %q : f32 to f64
    tkernel.store %w, 0[%i, %j] : f64
  }
  return %y : tensor<4x96xf64>
}

// -----

func.func @index(%x: tensor<4xi64>, %t: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: keep 'at' local: is an index, which has no place in memory: keep what is read with it [T0310]}}
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xi64>, %b = %t : tensor<8xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[tile [i], keep at local]>} {
    %n = tkernel.load %a[%i] : tensor<4xi64>
    %at = arith.index_cast %n {name = "at"} : i64 to index
    %v = tkernel.load %b[%at] : tensor<8xf32>
    tkernel.store %v, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @several_results(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{illegal schedule: keep 's' local: has 2 results: keep what is computed from one of them [T0310]}}
  %y:2 = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      attributes {schedule = #tkernel.schedule<[order [i, j], keep s local]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %s:2 = tkernel.reduce %v, %v over (%j) identities [0.0 : f32, 0.0 : f32] {name = "s"} : f32, f32 {
    ^bb0(%p: f32, %q: f32, %r: f32, %t: f32):
      %m = arith.addf %p, %r : f32
      %n = arith.addf %q, %t : f32
      tkernel.yield %m, %n : f32, f32
    }
    tkernel.store %s#0, 0[%i] : f32
    tkernel.store %s#1, 1[%i] : f32
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @staged_twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' is given twice: a value has one buffer, leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[order [i, j], stage v at i local, stage v at grid local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @packed_before(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: keep 'd': it is packed at kernel global, or what alone uses it is, and read there: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[order [i, j], keep d recompute, stage e at kernel global]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    %d = arith.addf %v, %v {name = "d"} : f32
    %e = arith.negf %v {name = "e"} : f32
    %f = arith.mulf %d, %e {name = "f"} : f32
    tkernel.store %e, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @summed_in_groups(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>) -> tensor<4x16xf32> {
  // expected-error @+1 {{illegal schedule: stage 'p' is summed over 'ki' in groups of a dot instruction: leave contract 'ki' dot out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 16, %k : 8) reads(%a = %x : tensor<4x8xbf16>, %b = %w : tensor<8x16xbf16>) -> tensor<4x16xf32>
      attributes {schedule = #tkernel.schedule<[split k = [ko, ki 2], tile [ki, j], stage p at grid local, contract ki dot]>} {
    %v = tkernel.load %a[%i, %k] : tensor<4x8xbf16>
    %u = tkernel.load %b[%k, %j] : tensor<8x16xbf16>
    %p = tkernel.contract %v, %u over (%k) {name = "p"} : bf16, bf16 -> f32
    tkernel.store %p, 0[%i, %j] : f32
  }
  return %y : tensor<4x16xf32>
}

// -----

// The sum over j and the store share the loop over i: what is kept of one i is not there before it.
func.func @kept_in_a_loop(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  // expected-error @+1 {{illegal schedule: stage 'o' is not computed from loads and contractions alone: stage what it is computed from [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8, %e : 16) reads(%a = %x : tensor<4x8xf32>, %b = %w : tensor<8x16xf32>) -> tensor<4x16xf32>
      attributes {schedule = #tkernel.schedule<[order [i, e], tile [j], stage o at grid local, keep p local]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %p = math.exp %v {name = "p"} : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %u = tkernel.load %b[%j, %e] : tensor<8x16xf32>
    %o = tkernel.contract %p, %u over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<4x16xf32>
}

// -----

// The reduction that would keep p comes after what needs the sum.
func.func @kept_after(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> (tensor<4x16xf32>, tensor<4xf32>) {
  // expected-error @+1 {{illegal schedule: stage 'o' is not computed from loads and contractions alone: stage what it is computed from [T0310]}}
  %y:2 = tkernel.kernel (%i : 4, %j : 8, %e : 16) reads(%a = %x : tensor<4x8xf32>, %b = %w : tensor<8x16xf32>) -> (tensor<4x16xf32>, tensor<4xf32>)
      attributes {schedule = #tkernel.schedule<[grid [i], order [e], tile [j], stage o at grid local, keep p local]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %p = math.exp %v {name = "p"} : f32
    %u = tkernel.load %b[%j, %e] : tensor<8x16xf32>
    %o = tkernel.contract %p, %u over (%j) {name = "o"} : f32
    tkernel.store %o, 0[%i, %e] : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    tkernel.store %l, 1[%i] : f32
  }
  return %y#0, %y#1 : tensor<4x16xf32>, tensor<4xf32>
}

// -----

func.func @staged_in_its_sum(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  // expected-error @+1 {{illegal schedule: stage 'p' is summed over 'k', whose loop is open there: stage it further outside [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 16, %k : 8) reads(%a = %x : tensor<4x8xf32>, %b = %w : tensor<8x16xf32>) -> tensor<4x16xf32>
      attributes {schedule = #tkernel.schedule<[order [i, k], tile [j], stage p at k local]>} {
    %v = tkernel.load %a[%i, %k] : tensor<4x8xf32>
    %u = tkernel.load %b[%k, %j] : tensor<8x16xf32>
    %p = tkernel.contract %v, %u over (%k) {name = "p"} : f32
    tkernel.store %p, 0[%i, %j] : f32
  }
  return %y : tensor<4x16xf32>
}

// -----

func.func @staged_along_its_sum(%x: tensor<4x8x16xf32>, %w: tensor<16xf32>) -> tensor<4x8x16xf32> {
  // expected-error @+1 {{illegal schedule: stage 'd' varies along 'k', which is summed over on the way to it too, and is filled in a loop over it: make it one of the last two dimensions of the buffer, stage 'd' as (..., k), or leave the stage out [T0310]}}
  %y = tkernel.kernel (%k : 16, %i : 4, %j : 8) reads(%a = %x : tensor<4x8x16xf32>, %b = %w : tensor<16xf32>) -> tensor<4x8x16xf32>
      attributes {schedule = #tkernel.schedule<[order [i, k], tile [j], stage d as (k, i, j) at grid local]>} {
    %v = tkernel.load %a[%i, %j, %k] : tensor<4x8x16xf32>
    %u = tkernel.load %b[%k] : tensor<16xf32>
    %s = tkernel.contract %v, %u over (%k) : f32
    %d = arith.subf %v, %s {name = "d"} : f32
    %t = math.tanh %d : f32
    tkernel.store %t, 0[%i, %j, %k] : f32
  }
  return %y : tensor<4x8x16xf32>
}

// -----

// A sum is read again in the loops of another store, after the first one has taken its place.
func.func @stored_over_a_sum(%x: tensor<17x96xf32>, %y: tensor<32x96xf32>, %z: tensor<17x32xf32>) -> (tensor<96x32xf32>, tensor<96x17x32xf32>) {
  // expected-error @+1 {{illegal schedule: keep 's' result: the result is stored before the value's last use: keep it local [T0310]}}
  %r:2 = tkernel.kernel (%i : 96, %j : 17, %k : 32) reads(%a = %x : tensor<17x96xf32>, %b = %y : tensor<32x96xf32>, %c = %z : tensor<17x32xf32>) -> (tensor<96x32xf32>, tensor<96x17x32xf32>)
      attributes {schedule = #tkernel.schedule<[split i = [i_o, i_i 8], grid [i_o], order [j, k], tile [i_i], keep s result]>} {
    %u = tkernel.load %a[%j, %i] : tensor<17x96xf32>
    %v = tkernel.load %b[%k, %i] : tensor<32x96xf32>
    %w = tkernel.load %c[%j, %k] : tensor<17x32xf32>
    %s = tkernel.contract %u, %w over (%j) {name = "s"} : f32
    %d = arith.subf %u, %s : f32
    tkernel.store %v, 0[%i, %k] : f32
    tkernel.store %d, 1[%i, %j, %k] : f32
  }
  return %r#0, %r#1 : tensor<96x32xf32>, tensor<96x17x32xf32>
}

// -----

func.func @two_in_a_result(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: keep 'q' result: 'd' is kept in the same result, which holds one of them: keep one local [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[keep q result, keep d result]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %d = arith.subf %v, %s {name = "d"} : f32
    %q = arith.mulf %d, %d {name = "q"} : f32
    %t = tkernel.reduce addf %q over (%j) : f32
    %r = arith.addf %d, %t : f32
    tkernel.store %r, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @stored_over(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error @+1 {{illegal schedule: keep 'd' result: the result is stored before the value's last use: keep it local [T0310]}}
  %y:2 = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
      attributes {schedule = #tkernel.schedule<[keep d result]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %d = arith.subf %v, %s {name = "d"} : f32
    %m = tkernel.reduce maximumf %d over (%j) : f32
    %q = arith.addf %d, %v : f32
    tkernel.store %q, 0[%i, %j] : f32
    %z = arith.mulf %d, %m : f32
    %t = tkernel.reduce addf %z over (%j) : f32
    tkernel.store %t, 1[%i] : f32
  }
  return %y#0, %y#1 : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// What would change nothing is refused.
func.func @complete(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> (tensor<8x32xf32>, tensor<8xf32>) {
  // expected-error @+1 {{illegal schedule: keep 'c' local: no loop over an axis of it lies within a loop that it reduces, so that it is complete in registers: 'stage c' computes it once for several uses, 'order' with such a loop keeps partial results [T0310]}}
  %y:2 = tkernel.kernel (%i : 8, %j : 32, %k : 16) reads(%a = %x : tensor<8x16xf32>, %b = %w : tensor<16x32xf32>) -> (tensor<8x32xf32>, tensor<8xf32>)
      attributes {schedule = #tkernel.schedule<[grid [i], order [k], tile [j], keep c local]>} {
    %u = tkernel.load %a[%i, %k] : tensor<8x16xf32>
    %v = tkernel.load %b[%k, %j] : tensor<16x32xf32>
    %c = tkernel.contract %u, %v over (%k) {name = "c"} : f32
    %m = tkernel.reduce maximumf %c over (%j) : f32
    tkernel.store %c, 0[%i, %j] : f32
    tkernel.store %m, 1[%i] : f32
  }
  return %y#0, %y#1 : tensor<8x32xf32>, tensor<8xf32>
}

// -----

func.func @loaded(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-error @+1 {{illegal schedule: keep 'v' local: is read from memory already: stage it to have it nearer, as in 'stage v at grid local' [T0310]}}
  %y = tkernel.kernel (%i : 8, %k : 16) reads(%a = %x : tensor<8x16xf32>) -> tensor<8x16xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [k], keep v local]>} {
    %v = tkernel.load %a[%i, %k] {name = "v"} : tensor<8x16xf32>
    %s = tkernel.reduce addf %v over (%k) : f32
    %q = arith.divf %v, %s : f32
    tkernel.store %q, 0[%i, %k] : f32
  }
  return %y : tensor<8x16xf32>
}

// -----

// The scores are computed again for each maximum, sum and product; the rows over their lengths with them, and those
// sums before.
func.func @computed_again(%x: tensor<13x5xf32>, %y: tensor<11x5xf32>, %z: tensor<11x6xf32>) -> tensor<13x6xf32> {
  // expected-error @+1 {{illegal schedule: keep 'unit' register: expected it to be computed once, but 'score', which needs it, is computed again behind the loop over 'e', and the value with it; keep it local, put that loop in the grid, or leave keep out [T0310]}}
  %r = tkernel.kernel (%i : 13, %j : 11, %d : 5, %e : 6) reads(%a = %x : tensor<13x5xf32>, %b = %y : tensor<11x5xf32>, %c = %z : tensor<11x6xf32>) -> tensor<13x6xf32>
      attributes {schedule = #tkernel.schedule<[order [e, i], keep unit register]>} {
    %u = tkernel.load %a[%i, %d] : tensor<13x5xf32>
    %q = arith.mulf %u, %u : f32
    %s = tkernel.reduce addf %q over (%d) : f32
    %h = math.rsqrt %s : f32
    %n = arith.mulf %u, %h {name = "unit"} : f32
    %v = tkernel.load %b[%j, %d] : tensor<11x5xf32>
    %t = tkernel.contract %n, %v over (%d) {name = "score"} : f32
    %m = tkernel.reduce maximumf %t over (%j) : f32
    %o = arith.subf %t, %m : f32
    %p = math.exp %o : f32
    %w = tkernel.load %c[%j, %e] : tensor<11x6xf32>
    %g = tkernel.contract %p, %w over (%j) : f32
    tkernel.store %g, 0[%i, %e] : f32
  }
  return %r : tensor<13x6xf32>
}

// -----

// The sum over j is computed again for its own store, of what the store before it has taken the place of.
func.func @summed_over_again(%x: tensor<15x9xf32>, %y: tensor<9x7xf32>) -> (tensor<15x7xf32>, tensor<15x9xf32>, tensor<15xf32>) {
  // expected-error @+1 {{illegal schedule: keep 'd' result: the result is stored before the value's last use: keep it local [T0310]}}
  %r:3 = tkernel.kernel (%i : 15, %e : 7, %j : 9) reads(%a = %x : tensor<15x9xf32>, %b = %y : tensor<9x7xf32>) -> (tensor<15x7xf32>, tensor<15x9xf32>, tensor<15xf32>)
      attributes {schedule = #tkernel.schedule<[order [e, i], keep d result]>} {
    %u = tkernel.load %a[%i, %j] : tensor<15x9xf32>
    %m = tkernel.reduce maximumf %u over (%j) : f32
    %d = arith.subf %u, %m {name = "d"} : f32
    %p = math.exp %d : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %q = arith.divf %p, %l : f32
    %v = tkernel.load %b[%j, %e] : tensor<9x7xf32>
    %o = tkernel.contract %q, %v over (%j) : f32
    tkernel.store %o, 0[%i, %e] : f32
    tkernel.store %p, 1[%i, %j] : f32
    tkernel.store %l, 2[%i] : f32
  }
  return %r#0, %r#1, %r#2 : tensor<15x7xf32>, tensor<15x9xf32>, tensor<15xf32>
}
