// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @same_names(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected distinct axis names, found "i" twice}}
  %y = "tkernel.kernel"(%x) <{extents = array<i64: 4, 4>, axis_names = ["i", "i"]}> ({
  ^bb0(%i: index, %j: index, %a: tensor<4x4xf32>):
    %v = tkernel.load %a[%i, %j] : tensor<4x4xf32>
    tkernel.store %v, 0[%i, %j] : f32
  }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @names(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected one name per axis, found 2 names for 1 axes}}
  %y = "tkernel.kernel"(%x) <{extents = array<i64: 4>, axis_names = ["i", "j"]}> ({
  ^bb0(%i: index, %a: tensor<4xf32>):
    %v = tkernel.load %a[%i] : tensor<4xf32>
    tkernel.store %v, 0[%i] : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @negative(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected the extent of axis 'i' to be at least 0, found -4}}
  %y = tkernel.kernel (%i : -4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    tkernel.store %v, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @arguments(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected one block argument per axis and operand, 2, found 1}}
  %y = "tkernel.kernel"(%x) <{extents = array<i64: 4>, axis_names = ["i"]}> ({
  ^bb0(%i: index):
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @not_stored(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a store to result 0, found none}}
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @result_number(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    // expected-error @+1 {{expected a result number below 1, found 2}}
    tkernel.store %v, 2[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @points(%x: tensor<4xf32>) -> tensor<8xf32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<8xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    // expected-error @+1 {{expected the points of its axes to be the 8 elements of 'tensor<8xf32>', found 4}}
    tkernel.store %v, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @rank(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{expected one coordinate per dimension of 'tensor<4xf32>', 1, found 2}}
    %v = tkernel.load %a[%i, %i] : tensor<4xf32>
    tkernel.store %v, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @fill(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{expected the fills of its map to have type 'f32'}}
    %v = tkernel.load %a through #tview.map<affine_map<(d0) -> (d0)>, else 0 : i32>(%i) : tensor<4xf32>
    tkernel.store %v, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @kind(%x: tensor<4xf32>) -> tensor<f32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<f32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    // expected-error @+1 {{expected an integer for kind 'addi', found 'f32'}}
    %s = tkernel.reduce addi %v over (%i) : f32
    tkernel.store %s, 0[] : f32
  }
  return %y : tensor<f32>
}

// -----

func.func @no_identity(%x: tensor<4xf32>) -> tensor<f32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<f32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    // expected-error @+1 {{expected a kind with an identity: addf, mulf, maximumf, minimumf, addi, muli, maxs, maxu, mins, minu, ori or andi, found 'assign'}}
    %s = tkernel.reduce assign %v over (%i) : f32
    tkernel.store %s, 0[] : f32
  }
  return %y : tensor<f32>
}

// -----

func.func @not_an_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    %c = arith.constant 0 : index
    // expected-error @+1 {{expected axes of the kernel after 'over'}}
    %s = tkernel.reduce addf %v over (%c) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @no_combination(%x: tensor<4xf32>) -> tensor<f32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<f32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    // expected-error @+1 {{expected a kind, or a combining region and identities}}
    %s = tkernel.reduce %v over (%i) : f32
    tkernel.store %s, 0[] : f32
  }
  return %y : tensor<f32>
}

// -----

// expected-error-re @+1 {{expected a schedule primitive (merge, {{.*}}), found 'fuse': 'merge' makes one axis of several}}
func.func @primitive() attributes {s = #tkernel.schedule<[fuse [i]]>} { return }

// -----

// expected-error @+1 {{found 'vectorize': 'tile' gives an axis to registers, the last one to their lanes}}
func.func @vectorize() attributes {s = #tkernel.schedule<[vectorize [i]]>} { return }

// -----

// expected-error @+1 {{found 'parallel': 'grid' gives an axis to programs, which threads run}}
func.func @parallel() attributes {s = #tkernel.schedule<[parallel [i]]>} { return }

// -----

// expected-error @+1 {{found 'reorder': 'order' lists loops, the outermost first}}
func.func @reorder() attributes {s = #tkernel.schedule<[reorder [i]]>} { return }

// -----

// expected-error @+1 {{found 'pack': 'stage' copies a value to memory of its own}}
func.func @pack() attributes {s = #tkernel.schedule<[pack [i]]>} { return }

// -----

// expected-error @+1 {{found 'cache': 'stage' copies a value to memory of its own}}
func.func @cache() attributes {s = #tkernel.schedule<[cache [i]]>} { return }

// -----

// expected-error @+1 {{expected no factor of the first part, 'mo', which takes what is left}}
func.func @split_first() attributes {s = #tkernel<split m = [mo 4, mi 8]>} { return }

// -----

// expected-error @+1 {{expected the factor of part 'mi'}}
func.func @split_factor() attributes {s = #tkernel<split m = [mo, mi]>} { return }

// -----

// expected-error @+1 {{expected to stream from 1 byte on, found 0}}
func.func @stream() attributes {s = #tkernel<stream 0 from 0>} { return }

// -----

// expected-error @+1 {{expected an unroll factor of at least 1, or none to unroll fully, found 0}}
func.func @unroll() attributes {s = #tkernel<unroll k 0>} { return }

// -----

// expected-error @+1 {{expected to prefetch at least 1 element ahead, found 0}}
func.func @prefetch() attributes {s = #tkernel<prefetch v 0>} { return }

// -----

// expected-error @+1 {{expected at least two axes to merge}}
func.func @merge() attributes {s = #tkernel<merge p = [i]>} { return }

// -----

// expected-error @+1 {{expected 'at'}}
func.func @stage() attributes {s = #tkernel<stage a local>} { return }

// -----

// expected-error @+1 {{expected a split into at least two parts with factors of at least 1}}
func.func @split() attributes {s = #tkernel<split m = [mo]>} { return }

// -----

// expected-error @+1 {{expected 'register', 'local', 'result' or 'recompute', found 'moon'}}
func.func @keep() attributes {s = #tkernel<keep e moon>} { return }

// -----

// expected-error @+1 {{expected 'mask', 'peel' or 'pad', found 'drop'}}
func.func @edge() attributes {s = #tkernel<edge m drop>} { return }

// -----

// expected-error @+1 {{expected 'dot'}}
func.func @contract() attributes {s = #tkernel<contract kg fma>} { return }

// -----

func.func @sum_in_bf16(%x: tensor<4xbf16>) -> tensor<bf16> {
  %y = tkernel.kernel (%k : 4) reads(%a = %x : tensor<4xbf16>) -> tensor<bf16> {
    %0 = tkernel.load %a[%k] : tensor<4xbf16>
    // expected-error @+1 {{expected operands and result of one type of at least 32 bits or of integers, narrow floats with sums in f32, or i8 with sums in i32, found 'bf16' -> 'bf16'}}
    %1 = tkernel.contract %0, %0 over (%k) : bf16
    tkernel.store %1, 0[] : bf16
  }
  return %y : tensor<bf16>
}

// -----

func.func @unsigned_words(%x: tensor<4xi32>) -> tensor<i32> {
  %y = tkernel.kernel (%k : 4) reads(%a = %x : tensor<4xi32>) -> tensor<i32> {
    %0 = tkernel.load %a[%k] : tensor<4xi32>
    // expected-error @+1 {{expected unsigned operands of i8 with sums in i32 only, found 'i32' -> 'i32'}}
    %1 = tkernel.contract %0, %0 over (%k) rhs_unsigned : i32
    tkernel.store %1, 0[] : i32
  }
  return %y : tensor<i32>
}

// -----

func.func @reduce_in_f16(%x: tensor<4xf16>) -> tensor<f16> {
  %y = tkernel.kernel (%k : 4) reads(%a = %x : tensor<4xf16>) -> tensor<f16> {
    %0 = tkernel.load %a[%k] : tensor<4xf16>
    // expected-error @+1 {{expected 'f16' to be combined in f32: extend the value, and round the result}}
    %1 = tkernel.reduce addf %0 over (%k) : f16
    tkernel.store %1, 0[] : f16
  }
  return %y : tensor<f16>
}

// -----

func.func @contract_over_nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    // expected-error @+1 {{expected at least one axis after 'over'}}
    %s = tkernel.contract %v, %v over () : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @divided(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{expected divisors above 0}}
    %v = tkernel.load %a[%i floordiv 0] : tensor<4xf32>
    tkernel.store %v, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @divided_store(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    // expected-error @+1 {{expected divisors above 0}}
    tkernel.store %v, 0[%i mod 0] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @points(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected at most 2^63 - 1 points, found more}}
  %y = tkernel.kernel (%i : 4, %j : 4611686018427387904) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @of_index(%x: tensor<4xindex>) -> tensor<4xindex> {
  // expected-error @+1 {{expected tensors of integers or floats, found 'tensor<4xindex>'}}
  %0 = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xindex>) -> tensor<4xindex> {
    %1 = tkernel.load %a[%i] : tensor<4xindex>
    tkernel.store %1, 0[%i] : index
  }
  return %0 : tensor<4xindex>
}

// -----

// Two pieces of 5 and 4 elements, of which one is in both.
func.func @overlap(%x: tensor<5xf32>, %z: tensor<4xf32>) -> tensor<9xf32> {
  %y = tkernel.kernel (%i : 5, %j : 4) reads(%a = %x : tensor<5xf32>, %b = %z : tensor<4xf32>) -> tensor<9xf32> {
    %v = tkernel.load %a[%i] : tensor<5xf32>
    %w = tkernel.load %b[%j] : tensor<4xf32>
    // expected-note @+1 {{this one writes some of them, too}}
    tkernel.store %v, 0[%i] : f32
    // expected-error @+1 {{expected to write other elements of result 0 than the other stores to it}}
    tkernel.store %w, 0[%j + 4] : f32
  }
  return %y : tensor<9xf32>
}

// -----

// Every second element, and every third from 1 on: 4 is in both.
func.func @overlap_of_steps(%x: tensor<4xf32>, %z: tensor<3xf32>) -> tensor<8xf32> {
  %y = tkernel.kernel (%i : 4, %j : 3) reads(%a = %x : tensor<4xf32>, %b = %z : tensor<3xf32>) -> tensor<8xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    %w = tkernel.load %b[%j] : tensor<3xf32>
    // expected-note @+1 {{this one writes some of them, too}}
    tkernel.store %v, 0[%i * 2] : f32
    // expected-error @+1 {{expected to write other elements of result 0 than the other stores to it}}
    tkernel.store %w, 0[%j * 3 + 1] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @hole(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<9xf32> {
  // expected-error @+1 {{expected the 2 stores to result 0 to write its 9 elements, found 8}}
  %y = tkernel.kernel (%i : 4, %j : 4) reads(%a = %x : tensor<4xf32>, %b = %z : tensor<4xf32>) -> tensor<9xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    %w = tkernel.load %b[%j] : tensor<4xf32>
    tkernel.store %v, 0[%i] : f32
    tkernel.store %w, 0[%j + 5] : f32
  }
  return %y : tensor<9xf32>
}

// -----

func.func @outside(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<8xf32> {
  %y = tkernel.kernel (%i : 4, %j : 4) reads(%a = %x : tensor<4xf32>, %b = %z : tensor<4xf32>) -> tensor<8xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    %w = tkernel.load %b[%j] : tensor<4xf32>
    tkernel.store %v, 0[%i] : f32
    // expected-error @+1 {{expected the coordinates of a piece to be sums of axes inside of 'tensor<8xf32>', each axis in one of them and no element twice, found affine_map<(d0) -> (d0 + 5)>}}
    tkernel.store %w, 0[%j + 5] : f32
  }
  return %y : tensor<8xf32>
}

// -----

// Three points write two elements.
func.func @twice(%x: tensor<3xf32>, %z: tensor<5xf32>) -> tensor<8xf32> {
  %y = tkernel.kernel (%i : 3, %j : 5) reads(%a = %x : tensor<3xf32>, %b = %z : tensor<5xf32>) -> tensor<8xf32> {
    %v = tkernel.load %a[%i] : tensor<3xf32>
    %w = tkernel.load %b[%j] : tensor<5xf32>
    // expected-error @+1 {{expected the coordinates of a piece to be sums of axes inside of 'tensor<8xf32>', each axis in one of them and no element twice, found affine_map<(d0) -> (d0 floordiv 2)>}}
    tkernel.store %v, 0[%i floordiv 2] : f32
    tkernel.store %w, 0[%j + 3] : f32
  }
  return %y : tensor<8xf32>
}

// -----

// A piece is repeated along k: 4 points of 8 write nothing new.
func.func @repeated(%x: tensor<4xf32>) -> tensor<8xf32> {
  %y = tkernel.kernel (%i : 4, %k : 2) reads(%a = %x : tensor<4xf32>) -> tensor<8xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    // expected-error @+1 {{expected the coordinates of a piece to be sums of axes}}
    tkernel.store %v, 0[%i + %k - %k] : f32
    tkernel.store %v, 0[%i + 4] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @stored_size(%x: tensor<8xf32, #tview.sizes<[S]>>) -> tensor<8xf32, #tview.sizes<[S]>> {
  %0 = tkernel.kernel (%i : T <= 8) reads(%a = %x : tensor<8xf32, #tview.sizes<[S]>>) -> tensor<8xf32, #tview.sizes<[S]>> {
    %1 = tkernel.load %a[%i] : tensor<8xf32, #tview.sizes<[S]>>
    // expected-error @+1 {{expected axis 'i' to have the size S of dimension 0 of 'tensor<8xf32, #tview.sizes<[S]>>', found T}}
    tkernel.store %1, 0[%i] : f32
  }
  return %0 : tensor<8xf32, #tview.sizes<[S]>>
}

// -----

// An axis that lost its size.
func.func @read_size(%x: tensor<8xf32, #tview.sizes<[S]>>) -> tensor<f32> {
  %0 = tkernel.kernel (%i : 8) reads(%a = %x : tensor<8xf32, #tview.sizes<[S]>>) -> tensor<f32> {
    // expected-error @+1 {{expected axis 'i' to have the size S of dimension 0 of 'tensor<8xf32, #tview.sizes<[S]>>', found 8}}
    %1 = tkernel.load %a[%i] : tensor<8xf32, #tview.sizes<[S]>>
    %2 = tkernel.reduce addf %1 over (%i) : f32
    tkernel.store %2, 0[] : f32
  }
  return %0 : tensor<f32>
}

// -----

func.func @two_sizes() -> tensor<f32> {
  %0 = tkernel.kernel () -> tensor<f32> {
    // expected-error @+1 {{expected one size, found 2}}
    %1 = tkernel.size <[S, T]>
    %2 = arith.constant 0.0 : f32
    tkernel.store %2, 0[] : f32
  }
  return %0 : tensor<f32>
}

// -----

func.func @read_updated(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tkernel.kernel (%i : 2) reads(%a = %x : tensor<8xf32>) -> tensor<8xf32> {
    %c3 = arith.constant 3 : index
    // expected-error @+1 {{uses what a store updates: expected stores to result 0 alone}}
    %1 = tkernel.load %a[%i] : tensor<8xf32>
    tkernel.store %1, 0[%i] at (%c3) into %a : f32, tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @moving(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tkernel.kernel (%i : 2) reads(%a = %x : tensor<8xf32>) -> tensor<8xf32> {
    %1 = arith.constant 3.0 : f32
    // expected-error @+1 {{expected coordinate 0 of dimension 0, whose offset varies along axes, found affine_map<(d0) -> (d0)>}}
    tkernel.store %1, 0[%i] at (%i) into %a : f32, tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @offsets(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %0 = tkernel.kernel (%i : 2, %j : 2) reads(%a = %x : tensor<8x2xf32>) -> tensor<8x2xf32> {
    %c3 = arith.constant 3 : index
    %1 = arith.constant 3.0 : f32
    // expected-error @+1 {{expected one offset per dimension of 'tensor<8x2xf32>', 2, found 1}}
    tkernel.store %1, 0[%i, %j] at (%c3) into %a : f32, tensor<8x2xf32>
  }
  return %0 : tensor<8x2xf32>
}

// -----

func.func @other_layout(%x: tensor<8x3xf32>) -> tensor<8x2xf32> {
  %0 = tkernel.kernel (%i : 2, %j : 2) reads(%a = %x : tensor<8x3xf32>) -> tensor<8x2xf32> {
    %c3 = arith.constant 3 : index
    %1 = arith.constant 3.0 : f32
    // expected-error @+1 {{expected to update a tensor that lies in memory as the result 'tensor<8x2xf32>' does, found 'tensor<8x3xf32>'}}
    tkernel.store %1, 0[%i, %j] at (%c3, %c3) into %a : f32, tensor<8x3xf32>
  }
  return %0 : tensor<8x2xf32>
}

// -----

func.func @nothing_to_combine_with(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tkernel.kernel (%i : 8) reads(%a = %x : tensor<8xf32>) -> tensor<8xf32> {
    %1 = tkernel.load %a[%i] : tensor<8xf32>
    // expected-error @+1 {{expected to combine with what it updates: name an operand}}
    tkernel.store addf %1, 0[%i] : f32
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @kind(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tkernel.kernel (%i : 8) reads(%a = %x : tensor<8xf32>) -> tensor<8xf32> {
    %1 = tkernel.load %a[%i] : tensor<8xf32>
    // expected-error @+1 {{expected a kind of combination, found 'plus'}}
    tkernel.store plus %1, 0[%i] : f32
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @scan_needs_identities(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    // expected-error @+1 {{'tkernel.scan' op expected a kind, or a combining region and identities}}
    %s = tkernel.scan %v over %i : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @scan_kind_and_region(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    // expected-error @+1 {{'tkernel.scan' op expected one value and neither region nor identities beside a kind}}
    %s = tkernel.scan addf %v over %i identities [0.0 : f32] : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @scan_yields(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %v = tkernel.load %a[%i] : tensor<4xf32>
    // expected-error @+1 {{'tkernel.scan' op expected the region to yield one accumulator per value}}
    %s = tkernel.scan %v over %i identities [0.0 : f32] : f32 {
    ^bb0(%p: f32, %q: f32):
      tkernel.yield %p, %q : f32, f32
    }
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}
