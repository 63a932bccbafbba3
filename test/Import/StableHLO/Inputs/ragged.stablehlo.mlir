// Products of parts of unequal sizes: of rows, each part with a matrix of its own, with a batch; and of what is contracted.
module {
func.func public @main(%a: tensor<8x4xf32>, %w: tensor<3x4x5xf32>, %sizes: tensor<3xi32>, %c: tensor<2x8x4xf32>, %v: tensor<2x3x4x5xf32>, %b: tensor<8x5xf32>) -> (tensor<8x5xf32>, tensor<2x8x5xf32>, tensor<3x4x5xf32>) {
  %0 = "chlo.ragged_dot"(%a, %w, %sizes) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<8x5xf32>
  %1 = "chlo.ragged_dot"(%c, %v, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [1]>} : (tensor<2x8x4xf32>, tensor<2x3x4x5xf32>, tensor<3xi32>) -> tensor<2x8x5xf32>
  %2 = "chlo.ragged_dot"(%a, %b, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>} : (tensor<8x4xf32>, tensor<8x5xf32>, tensor<3xi32>) -> tensor<3x4x5xf32>
  return %0, %1, %2 : tensor<8x5xf32>, tensor<2x8x5xf32>, tensor<3x4x5xf32>
}
}
