// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @dims(%x: tensor<6x4xf32>) {
  // expected-error @+1 {{'tview.view' op expected a map of 1 dims, the rank of the result, found 2 [T0302]}}
  %t = tview.view %x through <affine_map<(d0, d1) -> (d1, d0)>> : tensor<6x4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @results(%x: tensor<6x4xf32>) {
  // expected-error @+1 {{'tview.view' op expected a map to 2 coordinates, the rank of the source, found 1 [T0302]}}
  %t = tview.view %x through <affine_map<(d0) -> (d0)>> : tensor<6x4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @element(%x: tensor<6xf32>) {
  // expected-error @+1 {{'tview.view' op expected a result of 'f32' elements as in the source, found 'f64' [T0302]}}
  %t = tview.view %x through <affine_map<(d0) -> (d0)>> : tensor<6xf32> -> tensor<6xf64>
  return
}

// -----

func.func @fill(%x: tensor<6xf32>) {
  // expected-error @+1 {{'tview.view' op expected fills of type 'f32', the element type, found another in #tview.map<affine_map<(d0) -> (d0)>, else 0 : i32> [T0302]}}
  %t = tview.view %x through <affine_map<(d0) -> (d0)>, else 0 : i32> : tensor<6xf32> -> tensor<6xf32>
  return
}

// -----

// expected-error @+1 {{expected an index map without symbols, found 1 [T0301]}}
func.func private @symbols() attributes {m = #tview.map<affine_map<(d0)[s0] -> (d0 + s0)>>}

// -----

// expected-error @+1 {{expected 'ge', 'le' or 'eq'}}
func.func private @relation() attributes {m = #tview.guard<(d0) : (d0 lt 0) else 0.0 : f32>}

// -----

// expected-error @+1 {{guard 0 has 1 dims, expected 2 as in the index map [T0301]}}
func.func private @guard_dims() attributes {m = #tview.map<affine_map<(d0, d1) -> (d0)>, [(d0) : (d0 ge 0) else 0.0 : f32]>}

// -----

// expected-error @+1 {{guard 1 fills with 'i32', expected 'f32' as in the other fills [T0301]}}
func.func private @guard_fills() attributes {m = #tview.map<affine_map<(d0) -> (d0)>, [(d0) : (d0 ge 0) else 0.0 : f32, (d0) : (d0 ge 0) else 0 : i32]>}

// -----

// expected-error @+1 {{expected an integer or float fill, found dense<0> : tensor<2xi32> [T0301]}}
func.func private @fill_kind() attributes {m = #tview.map<affine_map<(d0) -> (d0)>, else dense<0> : tensor<2xi32>>}

// -----

// expected-error @+1 {{expected divisors above 0 in affine_map<(d0) -> (d0 mod 0)> [T0301]}}
func.func private @divisor() attributes {m = #tview.map<affine_map<(d0) -> (d0 mod 0)>>}

// -----

// expected-error @+1 {{expected 2 entries in #tview.sizes, one per dimension, found 1 [T0302]}}
func.func private @sizes_rank(tensor<4x8xf32, #tview.sizes<[S]>>)

// -----

// expected-error @+1 {{expected entry 1 of #tview.sizes to be the dimension's size 8, found 4 [T0302]}}
func.func private @sizes_fixed(tensor<4x8xf32, #tview.sizes<[S, 4]>>)

// -----

// expected-error @+1 {{expected dimension 0 to be the most that S comes to, found a dynamic one [T0302]}}
func.func private @sizes_most(tensor<?x8xf32, #tview.sizes<[S, 8]>>)

// -----

// expected-error @+1 {{expected no #tview.sizes on a tensor whose sizes are fixed [T0302]}}
func.func private @sizes_none(tensor<4x8xf32, #tview.sizes<[4, 8]>>)
