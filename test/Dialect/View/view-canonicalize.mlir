// RUN: tensor-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @identity
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @identity(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %a = tview.view %x through <affine_map<(d0, d1) -> (d1, d0)>> : tensor<6x4xf32> -> tensor<4x6xf32>
  %b = tview.view %a through <affine_map<(d0, d1) -> (d1, d0)>> : tensor<4x6xf32> -> tensor<6x4xf32>
  return %b : tensor<6x4xf32>
}

// An identity map to more elements is a padding.
// CHECK-LABEL: func.func @not_identity
// CHECK: tview.view
func.func @not_identity(%x: tensor<6xf32>) -> tensor<8xf32> {
  %a = tview.view %x through <affine_map<(d0) -> (d0)>> : tensor<6xf32> -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// CHECK-LABEL: func.func @chain
// CHECK-NEXT: tview.view %{{.*}} through <affine_map<(d0, d1) -> (d1 + (d0 mod 4) * 2 - 1, d0 floordiv 4)>, else 1.000000e+00 : f32> : tensor<6x4xf32> -> tensor<16x2xf32>
// CHECK-NEXT: return
func.func @chain(%x: tensor<6x4xf32>) -> tensor<16x2xf32> {
  %a = tview.view %x through <affine_map<(d0, d1) -> (d0 - 1, d1)>, [(d0, d1) : (d0 ge 1, d0 le 6) else 1.0 : f32]> : tensor<6x4xf32> -> tensor<8x4xf32>
  %b = tview.view %a through <affine_map<(d0, d1) -> (d1, d0)>> : tensor<8x4xf32> -> tensor<4x8xf32>
  %c = tview.view %b through <affine_map<(d0, d1) -> ((d0 * 2 + d1) floordiv 8, (d0 * 2 + d1) mod 8)>> : tensor<4x8xf32> -> tensor<16x2xf32>
  return %c : tensor<16x2xf32>
}

// CHECK-LABEL: func.func @two_fills
// CHECK-NEXT: through <affine_map<(d0) -> (d0 - 2)>, [(d0) : (d0 ge 1, d0 le 10) else 0xFF800000 : f32]> : tensor<8xf32> -> tensor<12xf32>
func.func @two_fills(%x: tensor<8xf32>) -> tensor<12xf32> {
  %a = tview.view %x through <affine_map<(d0) -> (d0 - 1)>> : tensor<8xf32> -> tensor<10xf32>
  %b = tview.view %a through <affine_map<(d0) -> (d0 - 1)>, else 0xFF800000 : f32> : tensor<10xf32> -> tensor<12xf32>
  return %b : tensor<12xf32>
}

// CHECK-LABEL: func.func @simplify
// CHECK-NEXT: through <affine_map<(d0, d1) -> (d0, d1)>, [(d0, d1) : (d1 le 2) else 7 : i32]>
func.func @simplify(%x: tensor<2x5xi32>) -> tensor<2x4xi32> {
  %a = tview.view %x through <affine_map<(d0, d1) -> ((d0 * 4 + d1) floordiv 4, (d0 * 4 + d1) mod 4)>, [
      (d0, d1) : (d0 ge 0) else 3 : i32, (d0, d1) : (d1 le 2, d1 le 3, d0 + d1 le 4) else 7 : i32]>
    : tensor<2x5xi32> -> tensor<2x4xi32>
  return %a : tensor<2x4xi32>
}

// CHECK-LABEL: func.func @constant
// CHECK-NEXT: through <affine_map<(d0) -> (0)>, [(d0) : (1 eq 0) else 3 : i32]>
func.func @constant(%x: tensor<2xi32>) -> tensor<3xi32> {
  %a = tview.view %x through <affine_map<(d0) -> (d0)>, [(d0) : (d0 ge 3) else 3 : i32]> : tensor<2xi32> -> tensor<3xi32>
  return %a : tensor<3xi32>
}

// Nothing is known of dynamic extents: no bounds can be dropped and views stay apart.
// CHECK-LABEL: func.func @dynamic
// CHECK-NEXT: through <affine_map<(d0) -> (d0)>, else 3 : i32> : tensor<?xi32> -> tensor<4xi32>
// CHECK-NEXT: through <affine_map<(d0) -> (d0 + 1)>, else 4 : i32> : tensor<4xi32> -> tensor<4xi32>
func.func @dynamic(%x: tensor<?xi32>) -> tensor<4xi32> {
  %a = tview.view %x through <affine_map<(d0) -> ((d0 * 2) floordiv 2)>, else 3 : i32> : tensor<?xi32> -> tensor<4xi32>
  %b = tview.view %a through <affine_map<(d0) -> (d0 + 1)>, else 4 : i32> : tensor<4xi32> -> tensor<4xi32>
  return %b : tensor<4xi32>
}

// CHECK-LABEL: func.func @materialize
// CHECK-NEXT: %[[M:.*]] = tview.materialize
// CHECK-NEXT: return %[[M]]
func.func @materialize(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %a = tview.materialize %x : tensor<6x4xf32>
  %b = tview.materialize %a : tensor<6x4xf32>
  return %b : tensor<6x4xf32>
}

// Memory between two views keeps them apart.
// CHECK-LABEL: func.func @apart
// CHECK-NEXT: tview.view
// CHECK-NEXT: tview.materialize
// CHECK-NEXT: tview.view
func.func @apart(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %a = tview.view %x through <affine_map<(d0, d1) -> (d1, d0)>> : tensor<6x4xf32> -> tensor<4x6xf32>
  %m = tview.materialize %a : tensor<4x6xf32>
  %b = tview.view %m through <affine_map<(d0, d1) -> (d1, d0)>> : tensor<4x6xf32> -> tensor<6x4xf32>
  return %b : tensor<6x4xf32>
}
