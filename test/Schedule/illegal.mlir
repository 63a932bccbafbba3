// RUN: tensor-opt %s --kernel-schedule --split-input-file --verify-diagnostics

func.func @unknown_axis(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: grid 'k' names no axis: expected one of i, j [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [k]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @reduced_grid(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: grid 'j' is reduced: programs do not share partial results; put it in order, or sum parts of it by themselves (rfactor) [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[grid [i, j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @placed_twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: tile 'i' is already in grid: leave it out of one of them, or split it and place its parts [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [i]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @split_after_use(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: split 'i' comes after its use in grid: put it before, and use its parts there [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], split i = [io, ii 2]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @name_taken(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: split 'i' gives the name 'j', which another axis has: choose another one [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, j 2]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @partial_results(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: order puts loop 'i' inside a reduced axis of a result that keeps it: its partial results would need memory; order it before, put it in grid or tile, or keep the result [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[order [j, i]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @scan_in_grid(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: scan runs along 'j', which must be a loop or in tile [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i, j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @budget(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{illegal schedule: tile of 4096 elements exceeds the register budget of 2048: split its axes smaller [T0310]}}
  %y = tkernel.kernel (%i : 64, %j : 64) reads(%a = %x : tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {schedule = #tkernel.schedule<[tile [i, j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<64x64xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<64x64xf32>
}

// -----

func.func @keep_nothing(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: keep 'e' names no value: give an op of the kernel name = "e" [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[keep e result]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @keep_twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: keep 'e' is given twice: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[keep e result, keep e local]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %e = math.exp %v {name = "e"} : f32
    tkernel.store %e, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @unroll_long(%x: tensor<8x32768xf32>) -> tensor<8x32768xf32> {
  // expected-error @+1 {{illegal schedule: unroll 'j' makes more than 16384 copies of what is inside of the loops: unroll it by less, or split it and unroll a part [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 32768) reads(%a = %x : tensor<8x32768xf32>) -> tensor<8x32768xf32>
      attributes {schedule = #tkernel.schedule<[unroll j]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x32768xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<8x32768xf32>
}

// -----

func.func @unroll_tile(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: unroll 'j' is for loops: it is in tile, whose elements are unrolled anyway; leave unroll out, or split it and order a part [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[unroll j 2, tile [j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @unroll_grid(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: unroll 'i' is for loops: it is in grid; leave unroll out, or split it and order a part [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], unroll i]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @split_points(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: split 'j' has parts of more than 1073741824 points together: no factor beyond the 8 points of the axis is of use [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 4611686018427387904, jr 8]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @tile_points(%x: tensor<4x8x4xf32>) -> tensor<4x8x4xf32> {
  // expected-error @+1 {{illegal schedule: tile of 9223372036854775807 elements exceeds the register budget of 2048: split its axes smaller [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8, %k : 4) reads(%a = %x : tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 1073741824], split j = [jo, ji 1073741824], split k = [ko, ki 16], tile [ii, ji, ki]]>} {
    %v = tkernel.load %a[%i, %j, %k] : tensor<4x8x4xf32>
    tkernel.store %v, 0[%i, %j, %k] : f32
  }
  return %y : tensor<4x8x4xf32>
}

// -----

func.func @edge_nothing(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: edge 'j' names no axis that was split: only parts can go beyond an axis; split it before, or leave edge out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[edge j peel]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @merge_late(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: merge 'p' comes after other primitives: it rewrites the kernel, so it belongs to the head of the list [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[warps 1, merge p = [i, j]]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @merge_unknown(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: merge 'p': expected axes of the kernel, i, j, found 'k' [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[merge p = [i, k]]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @merge_twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: merge 'p' names 'i' twice: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[merge p = [i, i]]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @merge_name(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: merge gives the name 'k', which another axis has: choose another one [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8, %k : 2) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[merge k = [i, j]]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @merge_kinds(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: merge 'p': an op reduces 'j' but not 'i': merge axes that are treated alike [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[merge p = [i, j]]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    %s = tkernel.reduce addf %v over (%j) {name = "s"} : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @merge_scan(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: merge 'p': a scan runs along 'j': leave it out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[merge p = [i, j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @warps_number(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: warps 3 is no power of two from 1 to 32: the nearest is 4 [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[warps 3]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @warps_loading(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: warps 8 loading 4 has nothing to fetch ahead: prefetch what is staged at a loop, or leave loading out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[warps 8 loading 4]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @warps_together(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: warps 32 loading 4 is more than 32 together: have fewer load [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[warps 32 loading 4]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @warps_twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: warps is given twice: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[warps 1, warps 1]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @warps_tile(%x: tensor<12xf32>) -> tensor<12xf32> {
  // expected-error @+1 {{illegal schedule: tile 'i' of 12 elements is no power of two, as tiles of several threads are: split i = [i_o, i_i 16] and tile the inner part [T0310]}}
  %y = tkernel.kernel (%i : 12) reads(%a = %x : tensor<12xf32>) -> tensor<12xf32>
      attributes {schedule = #tkernel.schedule<[tile [i], warps 1]>} {
    %v = tkernel.load %a[%i] : tensor<12xf32>
    tkernel.store %v, 0[%i] : f32
  }
  return %y : tensor<12xf32>
}

// -----

func.func @warps_budget(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{illegal schedule: tile of 4096 elements exceeds the register budget of 2048: split its axes smaller, or give it more warps [T0310]}}
  %y = tkernel.kernel (%i : 64, %j : 64) reads(%a = %x : tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {schedule = #tkernel.schedule<[tile [i, j], warps 1]>} {
    %v = tkernel.load %a[%i, %j] : tensor<64x64xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<64x64xf32>
}

// -----

func.func @stage_nothing(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: stage 'e' names no value: expected one of v, or give an op of the kernel name = "e" [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[warps 1, stage e at i local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @stage_axis(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' at 'k' names no axis: expected one of i, j [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[warps 1, stage v at k local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @stage_order(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' as (j): expected each of i, j once, along which it varies there [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[stage v as (j) at grid local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @split_after_stage(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: split 'j' comes after its use in stage: put it before, and use its parts there [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[stage v as (j, i) at grid local, split j = [jo, ji 4]]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @peel_order(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  // expected-error @+1 {{illegal schedule: edge 'j' peel needs 'jo' outside of 'ji', as they were split: order them so, or use edge mask [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 9) reads(%a = %x : tensor<4x9xf32>) -> tensor<4x9xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 4], order [ji, jo], edge j peel]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x9xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x9xf32>
}

// -----

func.func @stage_result(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: stage 's' is not computed from loads alone: stage what it is computed from [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[warps 1, stage s at i local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    %s = tkernel.reduce addf %v over (%j) {name = "s"} : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @stage_grid(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' at 'i', which is no loop: it is in grid or tile; name one of order, or stage it at grid [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], warps 1, stage v at i local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @stage_inside(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' varies along no loop and no tile axis there: stage it further outside [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[order [i, j], warps 1, stage v at j local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @stage_odd(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' spans loop 'j' of 6 iterations, no power of two: split it, or stage inside of it [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 6) reads(%a = %x : tensor<4x6xf32>) -> tensor<4x6xf32>
      attributes {schedule = #tkernel.schedule<[order [i, j], warps 1, stage v at i local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x6xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x6xf32>
}

// -----

func.func @stage_bytes(%x: tensor<8192x4096xf32>) -> tensor<8192x4096xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' takes local memory to 134217728 bytes, more than 67108864: stage it at an inner loop, or split its axes smaller [T0310]}}
  %y = tkernel.kernel (%i : 8192, %j : 4096) reads(%a = %x : tensor<8192x4096xf32>) -> tensor<8192x4096xf32>
      attributes {schedule = #tkernel.schedule<[order [i, j], warps 8, stage v at grid local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<8192x4096xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<8192x4096xf32>
}

// -----

func.func @merge_stores(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error @+1 {{illegal schedule: merge 'p': result 1 is written along 'i' but not 'j': merge axes that are treated alike [T0310]}}
  %y:2 = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
      attributes {schedule = #tkernel.schedule<[merge p = [i, j]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
    %w = tkernel.load %a[%i, 0] : tensor<4x8xf32>
    tkernel.store %w, 1[%i] : f32
  }
  return %y#0, %y#1 : tensor<4x8xf32>, tensor<4xf32>
}

// -----

func.func @stream_number(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: stream 1: the kernel has 1 results, numbered from 0 [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j], stream 1]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @stream_kept(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: stream 0: 'e' is kept in a result and read back: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j], keep e result, stream 0]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %e = math.exp %v {name = "e"} : f32
    tkernel.store %e, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @stream_threads(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: stream is for programs of one thread, not with warps: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j], warps 1, stream 0]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @window_value(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' window has no sums of axes that it is a function of there, as 2 * h + r: leave 'window' out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[stage v window at grid local]>} {
    %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %v = arith.addf %0, %0 {name = "v"} : f32
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @window_reach(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' window reaches further along 'q' than memory does: stage the value itself [T0310]}}
  %y = tkernel.kernel (%q : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[tile [q], stage v window at grid local]>} {
    %0 = tkernel.load %a[%q * 1537228672809129301] else 0.0 {name = "v"} : tensor<4xf32>
    tkernel.store %0, 0[%q] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @window_overflow(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' window reaches further along 'q' than memory does: stage the value itself [T0310]}}
  %y = tkernel.kernel (%q : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[tile [q], stage v window at grid local]>} {
    %0 = tkernel.load %a[%q * 4611686018427387904] else 0.0 {name = "v"} : tensor<4xf32>
    tkernel.store %0, 0[%q] : f32
  }
  return %y : tensor<4xf32>
}

// -----

// The window has 2^66 elements, more than 64 bits count.
func.func @window_size(%x: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' takes local memory to 4398046511104 bytes, more than 67108864: stage it at an inner loop, or split its axes smaller [T0310]}}
  %y = tkernel.kernel (%o : 4, %p : 4, %q : 4) reads(%a = %x : tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
      attributes {schedule = #tkernel.schedule<[tile [q], stage v window at grid local]>} {
    %0 = tkernel.load %a[%o * 1398101, %p * 1398101, %q * 1398101] else 0.0 {name = "v"} : tensor<4x4x4xf32>
    tkernel.store %0, 0[%o, %p, %q] : f32
  }
  return %y : tensor<4x4x4xf32>
}

// -----

func.func @window_division(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' window has a coordinate with a division: stage the value itself [T0310]}}
  %y = tkernel.kernel (%i : 32) reads(%a = %x : tensor<4x8xf32>) -> tensor<32xf32>
      attributes {schedule = #tkernel.schedule<[stage v window at grid local]>} {
    %v = tkernel.load %a[%i floordiv 8, %i mod 8] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i] : f32
  }
  return %y : tensor<32xf32>
}

// -----

func.func @keep_threads(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: keep 'e' local is for programs of one thread, not with warps: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j], warps 1, keep e local]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %e = math.exp %v {name = "e"} : f32
    tkernel.store %e, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @prefetch_load(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: prefetch 'e' is no load: name a load that it is computed from [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j], prefetch e]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %e = math.exp %v {name = "e"} : f32
    tkernel.store %e, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @prefetch_same(%x: tensor<8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: prefetch 'v': the next program of one thread does not read at a fixed distance; leave it out, or say how far ahead [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j], prefetch v]>} {
    %v = tkernel.load %a[%j] {name = "v"} : tensor<8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @prefetch_ahead(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: prefetch 'v' 16: no axis of the tile of one thread runs along its memory; put one that does there, or leave prefetch out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<8x4xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j], prefetch v 16]>} {
    %v = tkernel.load %a[%j, %i] {name = "v"} : tensor<8x4xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @prefetch_ring(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  // expected-error @+1 {{illegal schedule: prefetch 'v' 2 of a group of threads fetches iterations ahead of the loop that a load is staged at: stage it at one, or leave prefetch out [T0310]}}
  %y = tkernel.kernel (%i : 32, %j : 32) reads(%a = %x : tensor<32x32xf32>) -> tensor<32x32xf32>
      attributes {schedule = #tkernel.schedule<[order [i], tile [j], warps 1, stage v at grid local, prefetch v 2]>} {
    %v = tkernel.load %a[%j, %i] {name = "v"} : tensor<32x32xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<32x32xf32>
}

// -----

func.func @prefetch_long_ring(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  // expected-error @+1 {{illegal schedule: prefetch 'v' 16 of a group of threads fetches iterations ahead in as many buffers, 15 at most: fetch fewer [T0310]}}
  %y = tkernel.kernel (%i : 32, %j : 32) reads(%a = %x : tensor<32x32xf32>) -> tensor<32x32xf32>
      attributes {schedule = #tkernel.schedule<[order [i], tile [j], warps 1, stage v at i local, prefetch v 16]>} {
    %v = tkernel.load %a[%j, %i] {name = "v"} : tensor<32x32xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<32x32xf32>
}

// -----

func.func @prefetch_panel(%x: tensor<4x6xf32>, %w: tensor<6x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: prefetch 'v' 16: no axis of the tile of one thread runs along its memory; put one that does there, or leave prefetch out [T0310]}}
  %y = tkernel.kernel (%m : 4, %n : 8, %k : 6) reads(%a = %x : tensor<4x6xf32>, %b = %w : tensor<6x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[order [m, k], tile [n], stage v as (m, k) at kernel global, prefetch v 16]>} {
    %v = tkernel.load %a[%m, %k] {name = "v"} : tensor<4x6xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<6x8xf32>
    %2 = tkernel.contract %v, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @prefetch_next_panel(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: prefetch 'v': it is packed at kernel global, or what alone uses it is, and read there: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j], stage v as (i, j) at kernel global, prefetch v]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @prefetch_panel_of_panel(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: prefetch 'v': it is packed at kernel global, or what alone uses it is, and read there: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j], stage v as (i, j) at kernel global, stage e as (i, j) at kernel global, prefetch v 16]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    %e = arith.negf %v {name = "e"} : f32
    tkernel.store %e, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @stage_index(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' is an index, which has no place in memory: stage what is read with it [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[stage v at grid local]>} {
    %c1 = arith.constant 1 : index
    %v = arith.addi %j, %c1 {name = "v"} : index
    %0 = tkernel.load %a[%i, %v] else 0.0 : tensor<4x8xf32>
    tkernel.store %0, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @stage_sum(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: stage 's' is not computed from loads and contractions alone: stage what it is computed from [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[stage s at i local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x8xf32>
    %s = tkernel.reduce addf %v over (%j) {name = "s"} : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @stage_product(%x: tensor<64x8xf32>, %w: tensor<8x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{illegal schedule: stage 's' is computed in tiles of its last two dimensions, of 4096 elements, which exceeds the register budget of 2048: split its axes smaller [T0310]}}
  %y = tkernel.kernel (%i : 64, %j : 64, %k : 8) reads(%a = %x : tensor<64x8xf32>, %b = %w : tensor<8x64xf32>) -> tensor<64x64xf32>
      attributes {schedule = #tkernel.schedule<[stage s at grid local]>} {
    %0 = tkernel.load %a[%i, %k] : tensor<64x8xf32>
    %1 = tkernel.load %b[%k, %j] : tensor<8x64xf32>
    %s = tkernel.contract %0, %1 over (%k) {name = "s"} : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<64x64xf32>
}

// -----

func.func @main(%x: tensor<8x16xbf16>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: contract 'kg' dot sums within a step: put 'kg' in tile, before the axis along the lanes [T0310]}}
  %y = tkernel.kernel (%i : 8, %k : 16) reads(%a = %x : tensor<8x16xbf16>) -> tensor<8xf32> attributes {schedule = #tkernel.schedule<[split k = [ko, kg 2], tile [i, kg], contract kg dot]>} {
    %v = tkernel.load %a[%i, %k] : tensor<8x16xbf16>
    %s = tkernel.contract %v, %v over (%k) : bf16, bf16 -> f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8x16xbf16>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: contract 'kg' dot takes groups of 2 of bf16, found 4: split kg = [kg_o, kg_i 2] [T0310]}}
  %y = tkernel.kernel (%i : 8, %k : 16) reads(%a = %x : tensor<8x16xbf16>) -> tensor<8xf32> attributes {schedule = #tkernel.schedule<[split k = [ko, kg 4], tile [kg, i], contract kg dot]>} {
    %v = tkernel.load %a[%i, %k] : tensor<8x16xbf16>
    %s = tkernel.contract %v, %v over (%k) : bf16, bf16 -> f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8x16xbf16>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: contract 'kg' dot: 'kh' is the group of the same contraction: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 8, %k : 16) reads(%a = %x : tensor<8x16xbf16>) -> tensor<8xf32> attributes {schedule = #tkernel.schedule<[split k = [ko, kh 2, kg 2], tile [kh, kg, i], contract kh dot, contract kg dot]>} {
    %v = tkernel.load %a[%i, %k] : tensor<8x16xbf16>
    %s = tkernel.contract %v, %v over (%k) : bf16, bf16 -> f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: contract 'kg' dot needs products of bf16, f16 or i8 in wider sums, found contract of f32: leave it out [T0310]}}
  %y = tkernel.kernel (%i : 8, %k : 16) reads(%a = %x : tensor<8x16xf32>) -> tensor<8xf32> attributes {schedule = #tkernel.schedule<[split k = [ko, kg 2], tile [kg, i], contract kg dot]>} {
    %v = tkernel.load %a[%i, %k] : tensor<8x16xf32>
    %s = tkernel.contract %v, %v over (%k) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8x16xbf16>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: contract 'kg' dot of a group of threads is for matrix units, which sum at least 8, found 2: split it larger, or leave it out [T0310]}}
  %y = tkernel.kernel (%i : 8, %k : 16) reads(%a = %x : tensor<8x16xbf16>) -> tensor<8xf32> attributes {schedule = #tkernel.schedule<[split k = [ko, kg 2], tile [kg, i], warps 1, contract kg dot]>} {
    %v = tkernel.load %a[%i, %k] : tensor<8x16xbf16>
    %s = tkernel.contract %v, %v over (%k) : bf16, bf16 -> f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8x16xi8>) -> tensor<8xi8> {
  // expected-error @+1 {{illegal schedule: contract 'kg' dot needs products of bf16, f16 or i8 in wider sums, found reduce of i8: leave it out [T0310]}}
  %y = tkernel.kernel (%i : 8, %k : 16) reads(%a = %x : tensor<8x16xi8>) -> tensor<8xi8> attributes {schedule = #tkernel.schedule<[split k = [ko, kg 4], tile [kg, i], contract kg dot]>} {
    %v = tkernel.load %a[%i, %k] : tensor<8x16xi8>
    %s = tkernel.reduce maxs %v over (%k) : i8
    tkernel.store %s, 0[%i] : i8
  }
  return %y : tensor<8xi8>
}

// -----

func.func @window_of_panel(%x: tensor<8x6xbf16>) -> tensor<8x6xf32> {
  // expected-error @+1 {{illegal schedule: stage 'e' window extends what is packed at kernel global, which is no part of a tensor: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 6) reads(%a = %x : tensor<8x6xbf16>) -> tensor<8x6xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 4], stage v at kernel global, stage e window at grid local]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<8x6xbf16>
    %e = arith.extf %v {name = "e"} : bf16 to f32
    tkernel.store %e, 0[%i, %j] : f32
  }
  return %y : tensor<8x6xf32>
}

// -----

func.func @window_order(%x: tensor<8x6xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' window of a tensor has the tensor's dimensions: leave 'as' out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 4, %k : 3) reads(%a = %x : tensor<8x6xf32>) -> tensor<8x4xf32>
      attributes {schedule = #tkernel.schedule<[stage v window as (i, j, k) at grid local]>} {
    %v = tkernel.load %a[%i, %j + %k] {name = "v"} : tensor<8x6xf32>
    %s = tkernel.reduce addf %v over (%k) : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<8x4xf32>
}

// -----

func.func @box_backwards(%x: tensor<12xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' window runs backwards along 'k': stage the value itself [T0310]}}
  %y = tkernel.kernel (%j : 4, %k : 3) reads(%a = %x : tensor<12xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[stage v window at grid local]>} {
    %0 = tkernel.load %a[%j - %k + 2] : tensor<12xf32>
    %v = math.exp %0 {name = "v"} : f32
    %s = tkernel.reduce addf %v over (%k) : f32
    tkernel.store %s, 0[%j] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @box_of_steps(%x: tensor<16xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' window moves by more than one along each axis of a sum with 'j': stage the value itself [T0310]}}
  %y = tkernel.kernel (%j : 4, %k : 3) reads(%a = %x : tensor<16xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[stage v window at grid local]>} {
    %0 = tkernel.load %a[2 * %j + 3 * %k] : tensor<16xf32>
    %v = math.exp %0 {name = "v"} : f32
    %s = tkernel.reduce addf %v over (%k) : f32
    tkernel.store %s, 0[%j] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @box_of_buffer(%x: tensor<6xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{illegal schedule: stage 'v' window is computed from 'x', whose buffer is another one at each point of the window: stage one of them [T0310]}}
  %y = tkernel.kernel (%j : 4, %k : 3) reads(%a = %x : tensor<6xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[stage x at grid local, stage v window at grid local]>} {
    %0 = tkernel.load %a[%j + %k] {name = "x"} : tensor<6xf32>
    %v = math.exp %0 {name = "v"} : f32
    %s = tkernel.reduce addf %v over (%k) : f32
    tkernel.store %s, 0[%j] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @box_of_divisions(%x: tensor<6xi32>, %d: tensor<6xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{illegal schedule: stage 'v' is computed by a division, which points beyond an axis could trap: stage what it is computed from [T0310]}}
  %y = tkernel.kernel (%j : 4, %k : 3) reads(%a = %x : tensor<6xi32>, %b = %d : tensor<6xi32>) -> tensor<4xi32>
      attributes {schedule = #tkernel.schedule<[stage v window at grid local]>} {
    %0 = tkernel.load %a[%j + %k] : tensor<6xi32>
    %1 = tkernel.load %b[%j + %k] : tensor<6xi32>
    %v = arith.divsi %0, %1 {name = "v"} : i32
    %s = tkernel.reduce addi %v over (%k) : i32
    tkernel.store %s, 0[%j] : i32
  }
  return %y : tensor<4xi32>
}
