func.func @permute(%x: tensor<16x4xf32>) -> tensor<4x16xf32> {
  %t = tview.view %x through <affine_map<(d0, d1) -> (d1, d0)>> : tensor<16x4xf32> -> tensor<4x16xf32>
  return %t : tensor<4x16xf32>
}

func.func @guards(%x: tensor<8xf32>) -> tensor<12xf32> {
  %t = tview.view %x through <affine_map<(d0) -> (d0 - 2)>, [
      (i) : (i - 1 ge 0, 10 - i ge 0) else 0xFF800000 : f32,
      (d0) : (d0 ge 2, d0 le 9) else 0.0 : f32], else 1.0 : f32>
    : tensor<8xf32> -> tensor<12xf32>
  return %t : tensor<12xf32>
}

func.func @outside(%x: tensor<8xui8>) -> tensor<12xui8> {
  %t = tview.view %x through <affine_map<(d0) -> (d0 - 2)>, else 7 : ui8> : tensor<8xui8> -> tensor<12xui8>
  %m = tview.materialize %t : tensor<12xui8>
  return %m : tensor<12xui8>
}

#transpose = affine_map<(d0, d1) -> (d1, d0)>
func.func private @alone() attributes {
  map = #tview.map<#transpose>, all = #tview.guard<(a) : (0 eq 0) else 3 : i32>,
  guard = #tview.guard<(a, b) : (a eq 2 * b, (-a - b) floordiv 2 ge -4, a mod 3 le 1) else 3 : i32>}

func.func @scalar(%x: tensor<f32>) -> tensor<2xf32> {
  %t = tview.view %x through <affine_map<(d0) -> ()>> : tensor<f32> -> tensor<2xf32>
  return %t : tensor<2xf32>
}
