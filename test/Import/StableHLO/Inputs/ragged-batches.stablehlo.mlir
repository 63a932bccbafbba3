// Products of parts whose sizes differ from batch to batch, of rows and of what is contracted, and of batches that are the parts.
module {
func.func public @main(%c: tensor<2x8x4xf32>, %v: tensor<2x3x4x5xf32>, %b: tensor<2x8x5xf32>, %w: tensor<2x4x5xf32>, %sizes: tensor<2x3xi32>, %batches: tensor<3xi32>) -> (tensor<2x8x5xf32>, tensor<3x2x4x5xf32>, tensor<2x8x5xf32>) {
  %0 = "chlo.ragged_dot"(%c, %v, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [1]>} : (tensor<2x8x4xf32>, tensor<2x3x4x5xf32>, tensor<2x3xi32>) -> tensor<2x8x5xf32>
  %1 = "chlo.ragged_dot"(%c, %b, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1]>} : (tensor<2x8x4xf32>, tensor<2x8x5xf32>, tensor<2x3xi32>) -> tensor<3x2x4x5xf32>
  %2 = "chlo.ragged_dot"(%c, %w, %batches) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>} : (tensor<2x8x4xf32>, tensor<2x4x5xf32>, tensor<3xi32>) -> tensor<2x8x5xf32>
  return %0, %1, %2 : tensor<2x8x5xf32>, tensor<3x2x4x5xf32>, tensor<2x8x5xf32>
}
}
