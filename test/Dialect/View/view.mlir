// RUN: tensor-opt %s | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @permute
func.func @permute(%x: tensor<6x4xf32>) -> tensor<4x6xf32> {
  // CHECK: tview.view %{{.*}} through <affine_map<(d0, d1) -> (d1, d0)>> : tensor<6x4xf32> -> tensor<4x6xf32>
  %t = tview.view %x through <affine_map<(d0, d1) -> (d1, d0)>> : tensor<6x4xf32> -> tensor<4x6xf32>
  return %t : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @guards
func.func @guards(%x: tensor<8xf32>) -> tensor<12xf32> {
  // CHECK: through <affine_map<(d0) -> (d0 - 2)>, [(d0) : (d0 ge 1, d0 le 10) else 0xFF800000 : f32, (d0) : (d0 ge 2, d0 le 9) else 0.000000e+00 : f32], else 1.000000e+00 : f32>
  %t = tview.view %x through <affine_map<(d0) -> (d0 - 2)>, [
      (i) : (i - 1 ge 0, 10 - i ge 0) else 0xFF800000 : f32,
      (d0) : (d0 ge 2, d0 le 9) else 0.0 : f32], else 1.0 : f32>
    : tensor<8xf32> -> tensor<12xf32>
  return %t : tensor<12xf32>
}

// CHECK-LABEL: func.func @outside
func.func @outside(%x: tensor<8xui8>) -> tensor<12xui8> {
  // CHECK: tview.view %{{.*}} through <affine_map<(d0) -> (d0 - 2)>, else 7 : ui8> : tensor<8xui8> -> tensor<12xui8>
  %t = tview.view %x through <affine_map<(d0) -> (d0 - 2)>, else 7 : ui8> : tensor<8xui8> -> tensor<12xui8>
  // CHECK: tview.materialize %{{.*}} : tensor<12xui8>
  %m = tview.materialize %t : tensor<12xui8>
  return %m : tensor<12xui8>
}

#transpose = affine_map<(d0, d1) -> (d1, d0)>
// The attributes stand alone, and the map may be an alias.
// CHECK-LABEL: func.func private @alone
// CHECK-SAME: all = #tview.guard<(d0) : (0 eq 0) else 3 : i32>
// CHECK-SAME: guard = #tview.guard<(d0, d1) : (d0 - d1 * 2 eq 0, (-d0 - d1) floordiv 2 ge -4, d0 mod 3 le 1) else 3 : i32>
// CHECK-SAME: map = #tview.map<affine_map<(d0, d1) -> (d1, d0)>>
func.func private @alone() attributes {
  map = #tview.map<#transpose>, all = #tview.guard<(a) : (0 eq 0) else 3 : i32>,
  guard = #tview.guard<(a, b) : (a eq 2 * b, (-a - b) floordiv 2 ge -4, a mod 3 le 1) else 3 : i32>}

// CHECK-LABEL: func.func @scalar
func.func @scalar(%x: tensor<f32>) -> tensor<2xf32> {
  // CHECK: through <affine_map<(d0) -> ()>>
  %t = tview.view %x through <affine_map<(d0) -> ()>> : tensor<f32> -> tensor<2xf32>
  return %t : tensor<2xf32>
}
