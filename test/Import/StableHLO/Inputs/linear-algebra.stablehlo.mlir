// Products by letters, norms of batches, indices of rows, factors and solutions, as the specification writes them. Results
// are compared with numpy's (check-linear-algebra.py).
module @linear_algebra {
  func.func public @main(%a: tensor<2x3x4x4xf32>, %b: tensor<2x3x4x5xf32>, %c: tensor<2x3x5x4xf32>, %x: tensor<2x4x3x5xf32>, %s: tensor<4xf32>, %o: tensor<4xf32>, %i: tensor<2x3xi32>)
      -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<2x3x5x4xf32>, tensor<2x4x3x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4x3x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4x3x5xf32>, tensor<3x4x4x2xf32>, tensor<4x3xf32>, tensor<2x3x3x5xf32>, tensor<2x4x2x3x5xf32>) {
    %l = stablehlo.cholesky %a, lower = true : tensor<2x3x4x4xf32>
    %u = "stablehlo.cholesky"(%a) {lower = false} : (tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
    %y0 = "stablehlo.triangular_solve"(%l, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x4x4xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    %y1 = "stablehlo.triangular_solve"(%l, %b) {left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x3x4x4xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    %y2 = "stablehlo.triangular_solve"(%u, %c) {left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x4x4xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
    %n, %m, %v = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.01 : f32, feature_index = 1 : i64} : (tensor<2x4x3x5xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x4x3x5xf32>, tensor<4xf32>, tensor<4xf32>)
    %g0, %g1, %g2 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %n) {epsilon = 0.01 : f32, feature_index = 1 : i64} : (tensor<2x4x3x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4x3x5xf32>) -> (tensor<2x4x3x5xf32>, tensor<4xf32>, tensor<4xf32>)
    %f = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {epsilon = 0.01 : f32, feature_index = 1 : i64} : (tensor<2x4x3x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x3x5xf32>
    %e = "stablehlo.einsum"(%b, %c) {einsum_config = "abcd,abde->bcea"} : (tensor<2x3x4x5xf32>, tensor<2x3x5x4xf32>) -> tensor<3x4x4x2xf32>
    %r = "stablehlo.unary_einsum"(%b) {einsum_config = "abcd->cb"} : (tensor<2x3x4x5xf32>) -> tensor<4x3xf32>
    %t = "stablehlo.torch_index_select"(%x, %i) {dim = 1 : i64, batch_dims = 1 : i64} : (tensor<2x4x3x5xf32>, tensor<2x3xi32>) -> tensor<2x3x3x5xf32>
    %j = stablehlo.constant dense<[[0, 2, 1], [2, 2, 0]]> : tensor<2x3xi32>
    %w = "stablehlo.torch_index_select"(%x, %j) {dim = 2 : i64, batch_dims = 0 : i64} : (tensor<2x4x3x5xf32>, tensor<2x3xi32>) -> tensor<2x4x2x3x5xf32>
    return %l, %u, %y0, %y1, %y2, %n, %m, %v, %g0, %g1, %g2, %f, %e, %r, %t, %w : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<2x3x5x4xf32>, tensor<2x4x3x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4x3x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4x3x5xf32>, tensor<3x4x4x2xf32>, tensor<4x3xf32>, tensor<2x3x3x5xf32>, tensor<2x4x2x3x5xf32>
  }
}
