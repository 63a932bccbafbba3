// RUN: tensor-opt %s --kernel-schedule --split-input-file --verify-diagnostics

func.func @unknown(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{illegal schedule: team 'rows' names no axis: expected one of i, j [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>) -> tensor<8x6xf32>
      attributes {schedule = #tkernel.schedule<[team [rows]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<8x6xf32>
}

// -----

func.func @split_before(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{illegal schedule: team 'i' names an axis that was split: expected one of j, io, ii [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>) -> tensor<8x6xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 2], team [i]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<8x6xf32>
}

// -----

func.func @split_after(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{illegal schedule: split 'i' comes after its use in team: put it before, and use its parts there [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>) -> tensor<8x6xf32>
      attributes {schedule = #tkernel.schedule<[team [i], split i = [io, ii 2]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<8x6xf32>
}

// -----

func.func @twice(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{illegal schedule: team is given twice: name all axes that threads share in one of them [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>) -> tensor<8x6xf32>
      attributes {schedule = #tkernel.schedule<[team [i], team [j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<8x6xf32>
}

// -----

func.func @named_twice(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{illegal schedule: team names 'i' twice: leave it out once [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>) -> tensor<8x6xf32>
      attributes {schedule = #tkernel.schedule<[team [i, i]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<8x6xf32>
}

// -----

func.func @grid(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{illegal schedule: team 'i' is in grid, whose programs run one after another: put it in order instead, or leave team out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>) -> tensor<8x6xf32>
      attributes {schedule = #tkernel.schedule<[team [i], grid [i]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<8x6xf32>
}

// -----

func.func @tile(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{illegal schedule: team 'j' is in tile, which one thread computes: split j = [j_o, j_i 3], tile the inner part and share the outer one [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>) -> tensor<8x6xf32>
      attributes {schedule = #tkernel.schedule<[team [j], tile [j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<8x6xf32>
}

// -----

func.func @reduced(%x: tensor<8x6xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: team 'j' is reduced: threads do not share partial results; share an axis of the result, or sum parts of it by themselves (rfactor) [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[team [j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @scanned(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{illegal schedule: team 'j' has points that follow each other in a scan or a store: share another axis [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>) -> tensor<8x6xf32>
      attributes {schedule = #tkernel.schedule<[team [j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<8x6xf32>
}

// -----

func.func @warps(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{illegal schedule: team 'i' is for programs of one thread, not with warps: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 8) reads(%a = %x : tensor<8x8xf32>) -> tensor<8x8xf32>
      attributes {schedule = #tkernel.schedule<[team [i], tile [j], warps 2]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<8x8xf32>
}

// -----

func.func @unrolled(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{illegal schedule: unroll 'i' is for loops of one thread, and its iterations are shared by a team: leave unroll out, or split it and unroll a part inside [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>) -> tensor<8x6xf32>
      attributes {schedule = #tkernel.schedule<[team [i], unroll i 2]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<8x6xf32>
}

// -----

func.func @apart(%x: tensor<8x5x6xf32>) -> tensor<8x5x6xf32> {
  // expected-error @+1 {{illegal schedule: team 'j' is not next to 'i' in the order: 'k' lies between; order them next to each other [T0310]}}
  %y = tkernel.kernel (%i : 8, %k : 5, %j : 6) reads(%a = %x : tensor<8x5x6xf32>) -> tensor<8x5x6xf32>
      attributes {schedule = #tkernel.schedule<[team [j, i]]>} {
    %v = tkernel.load %a[%i, %k, %j] : tensor<8x5x6xf32>
    tkernel.store %v, 0[%i, %k, %j] : f32
  }
  return %y : tensor<8x5x6xf32>
}

// -----

func.func @peeled(%x: tensor<11xf32>) -> tensor<11xf32> {
  // expected-error @+1 {{illegal schedule: team 'ii' is the second part of 'i', whose last iteration has fewer points (edge peel): share the outer part alone, or use edge mask [T0310]}}
  %y = tkernel.kernel (%i : 11) reads(%a = %x : tensor<11xf32>) -> tensor<11xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 4], team [io, ii], edge i peel]>} {
    %v = tkernel.load %a[%i] : tensor<11xf32>
    tkernel.store %v, 0[%i] : f32
  }
  return %y : tensor<11xf32>
}

// -----

// The sum over all columns of a vector is one for all rows.
func.func @reduction_outside(%x: tensor<8xf32>, %w: tensor<6xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: team 'i': reduction 's' does not vary along it, so that it would run in every thread at once; share axes along which every store and reduction varies [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8xf32>, %b = %w : tensor<6xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[team [i]]>} {
    %v = tkernel.load %b[%j] : tensor<6xf32>
    %s = tkernel.reduce addf %v over (%j) {name = "s"} : f32
    %u = tkernel.load %a[%i] : tensor<8xf32>
    %t = arith.addf %s, %u : f32
    tkernel.store %t, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @store_outside(%x: tensor<8x6xf32>) -> (tensor<8xf32>, tensor<8x6xf32>) {
  // expected-error @+1 {{illegal schedule: team 'j': the store of result 0 does not vary along it, so that it would run in every thread at once; share axes along which every store and reduction varies [T0310]}}
  %y:2 = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>) -> (tensor<8xf32>, tensor<8x6xf32>)
      attributes {schedule = #tkernel.schedule<[team [j]]>} {
    %u = tkernel.load %a[%i, 0] : tensor<8x6xf32>
    tkernel.store %u, 0[%i] : f32
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    tkernel.store %v, 1[%i, %j] : f32
  }
  return %y#0, %y#1 : tensor<8xf32>, tensor<8x6xf32>
}

// -----

func.func @partial_sums(%x: tensor<8x6xf32>, %w: tensor<6x5xf32>) -> tensor<8x5xf32> {
  // expected-error @+1 {{illegal schedule: order puts loop 'm' inside a reduced axis of a result that keeps it: its partial results would need memory; order it before, put it in grid or tile, or keep the result [T0310]}}
  %y = tkernel.kernel (%m : 8, %n : 5, %k : 6) reads(%a = %x : tensor<8x6xf32>, %b = %w : tensor<6x5xf32>) -> tensor<8x5xf32>
      attributes {schedule = #tkernel.schedule<[team [m], order [k, m], tile [n]]>} {
    %p = tkernel.load %a[%m, %k] : tensor<8x6xf32>
    %q = tkernel.load %b[%k, %n] : tensor<6x5xf32>
    %s = tkernel.contract %p, %q over (%k) : f32
    tkernel.store %s, 0[%m, %n] : f32
  }
  return %y : tensor<8x5xf32>
}

// -----

// Also where the team's loop has one iteration.
func.func @partial_sums_of_one(%x: tensor<8x6xf32>, %w: tensor<6x5xf32>) -> tensor<8x5xf32> {
  // expected-error @+1 {{illegal schedule: team 'mo' lies inside of 'k', along which reduction 's' runs: order it before, or keep the result of a sum [T0310]}}
  %y = tkernel.kernel (%m : 8, %n : 5, %k : 6) reads(%a = %x : tensor<8x6xf32>, %b = %w : tensor<6x5xf32>) -> tensor<8x5xf32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mr 8], team [mo], order [k, mo], tile [mr, n]]>} {
    %p = tkernel.load %a[%m, %k] : tensor<8x6xf32>
    %q = tkernel.load %b[%k, %n] : tensor<6x5xf32>
    %s = tkernel.contract %p, %q over (%k) {name = "s"} : f32
    tkernel.store %s, 0[%m, %n] : f32
  }
  return %y : tensor<8x5xf32>
}

// -----

func.func @kept_outside(%x: tensor<8x6xf32>, %w: tensor<6xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: keep 'e': it does not vary along 'i', which a team shares, so that all threads would write it at once; recompute it, or share another axis [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>, %b = %w : tensor<6xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[team [i], keep e local]>} {
    %u = tkernel.load %b[%j] : tensor<6xf32>
    %e = math.exp %u {name = "e"} : f32
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    %t = arith.mulf %e, %v : f32
    %s = tkernel.reduce addf %t over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @stage_between(%x: tensor<8x6x5xf32>) -> tensor<8x6x5xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' at 'i': the team's loops are one, in which 'j' is the last; stage it there, or further outside [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6, %k : 5) reads(%a = %x : tensor<8x6x5xf32>) -> tensor<8x6x5xf32>
      attributes {schedule = #tkernel.schedule<[team [i, j], stage v at i local]>} {
    %v = tkernel.load %a[%i, %j, %k] {name = "v"} : tensor<8x6x5xf32>
    tkernel.store %v, 0[%i, %j, %k] : f32
  }
  return %y : tensor<8x6x5xf32>
}

// -----

func.func @skipped_outside(%x: tensor<8x6xf32>, %w: tensor<6x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{illegal schedule: skip 'k': its loop 'k' lies outside of 'm', which a team shares: order it inside, or leave skip out [T0310]}}
  %y = tkernel.kernel (%m : 8, %n : 6, %k : 6) reads(%a = %x : tensor<8x6xf32>, %b = %w : tensor<6x6xf32>) -> tensor<8x6xf32>
      attributes {schedule = #tkernel.schedule<[team [m], order [k, m], tile [n], keep s local, skip k]>} {
    %p = tkernel.load %a[%m, %k] : tensor<8x6xf32>
    %zero = arith.constant 0.0 : f32
    %seen = arith.cmpi sle, %k, %m : index
    %q = tkernel.load %b[%k, %n] : tensor<6x6xf32>
    %r = arith.select %seen, %q, %zero : f32
    %s = tkernel.contract %p, %r over (%k) {name = "s"} : f32
    tkernel.store %s, 0[%m, %n] : f32
  }
  return %y : tensor<8x6xf32>
}

// -----

func.func @online_outside(%x: tensor<8x6xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: online 'j' lies outside of 'io', which a team shares: order it inside [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 8], team [io], order [j, io], tile [ii], online j, keep m local, keep s local]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    %m = tkernel.reduce maximumf %v over (%j) {name = "m"} : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = tkernel.reduce addf %e over (%j) {name = "s"} : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

// As with sums, also where the team's loop has one iteration.
func.func @scanned_outside(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{illegal schedule: team 'io' lies inside of 'j', along which a scan runs: order it before, or keep the result of a sum [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>) -> tensor<8x6xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 8], order [j, io], team [io], tile [ii]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<8x6xf32>
}

// -----

// Partial results in memory are combined by an op alone, not by a region.
func.func @combined_by_a_region(%x: tensor<8x6xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: team 'io' lies inside of 'j', along which reduction 's' runs: order it before, or keep the result of a sum [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 8], order [j, io], team [io], tile [ii], keep s local]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x6xf32>
    %s = tkernel.reduce %v over (%j) identities [1.0 : f32] {name = "s"} : f32 {
    ^bb0(%a0: f32, %v0: f32):
      %p = arith.mulf %a0, %v0 : f32
      tkernel.yield %p : f32
    }
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}
