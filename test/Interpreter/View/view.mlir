// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --view-to-kernel --interpret -o /dev/null | FileCheck %s

func.func @main() -> (tensor<3x2xi32>, tensor<4x3xi32>, tensor<5xf32>, tensor<2x3xi32>, tensor<3xui8>) {
  %x = tgraph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  // CHECK: result 0 : tensor<3x2xi32> = 1 4 2 5 3 6
  %transposed = tview.view %x through <affine_map<(d0, d1) -> (d1, d0)>> : tensor<2x3xi32> -> tensor<3x2xi32>
  // Coordinates outside of the source read the trailing fill.
  // CHECK: result 1 : tensor<4x3xi32> = 7 7 7 1 2 3 4 5 6 7 7 7
  %outside = tview.view %x through <affine_map<(d0, d1) -> (d0 - 1, d1)>, else 7 : i32> : tensor<2x3xi32> -> tensor<4x3xi32>
  %y = tgraph.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  // The first guard that fails gives its fill, before the source is looked at.
  // CHECK: result 2 : tensor<5xf32> = -inf 0 2 3 0
  %guarded = tview.view %y through <affine_map<(d0) -> (d0 - 1)>, [(d0) : (d0 ge 1) else 0xFF800000 : f32,
      (d0) : (d0 ge 2) else 0.0 : f32]> : tensor<3xf32> -> tensor<5xf32>
  // CHECK: result 3 : tensor<2x3xi32> = 1 3 5 2 4 6
  %divided = tview.view %x through <affine_map<(d0, d1) -> ((d0 + d1 * 2) floordiv 3, (d0 + d1 * 2) mod 3)>>
      : tensor<2x3xi32> -> tensor<2x3xi32>
  %u = tgraph.constant dense<[200, 0, 255]> : tensor<3xui8>
  // CHECK: result 4 : tensor<3xui8> = 200 0 255
  %same = tview.materialize %u : tensor<3xui8>
  return %transposed, %outside, %guarded, %divided, %same
      : tensor<3x2xi32>, tensor<4x3xi32>, tensor<5xf32>, tensor<2x3xi32>, tensor<3xui8>
}
