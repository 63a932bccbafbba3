// Ops whose sizes are operands, known ones, and tuples: the same as the others.
func.func @main(%x: tensor<4x6xf32>, %i: tensor<2x1xi32>, %image: tensor<1x3x5x5xf32>, %w: tensor<2x3x3x3xf32>) -> (tensor<6x4xf32>, tensor<3x4x6xf32>, tensor<7x9xf32>, tensor<2x3xf32>, tensor<2x6xf32>, tensor<1x2x5x5xf32>, tensor<4x6xi32>, tensor<4x2xf32>) {
  %shape = stablehlo.constant dense<[6, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_reshape"(%x, %shape) : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<6x4xf32>
  %wide = stablehlo.constant dense<[3, 4, 6]> : tensor<3xi64>
  %1 = "stablehlo.dynamic_broadcast_in_dim"(%x, %wide) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<3x4x6xf32>
  %value = stablehlo.constant dense<2.5> : tensor<f32>
  %low = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %high = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %2 = "stablehlo.dynamic_pad"(%x, %value, %low, %high, %none) : (tensor<4x6xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<7x9xf32>
  %to = stablehlo.constant dense<[3, 6]> : tensor<2xi32>
  %step = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %3 = "stablehlo.real_dynamic_slice"(%x, %low, %to, %step) : (tensor<4x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x3xf32>
  %sizes = stablehlo.constant dense<[1, 6]> : tensor<2xi64>
  %4 = "stablehlo.dynamic_gather"(%x, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x6xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x6xf32>
  %padding = stablehlo.constant dense<1> : tensor<2x2xi32>
  %5 = "stablehlo.dynamic_conv"(%image, %w, %padding) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, feature_group_count = 1 : i64}> : (tensor<1x3x5x5xf32>, tensor<2x3x3x3xf32>, tensor<2x2xi32>) -> tensor<1x2x5x5xf32>
  %count = stablehlo.constant dense<[4, 6]> : tensor<2xi64>
  %6 = "stablehlo.dynamic_iota"(%count) <{iota_dimension = 1 : i64}> : (tensor<2xi64>) -> tensor<4x6xi32>
  %t = "stablehlo.tuple"(%5, %6) : (tensor<1x2x5x5xf32>, tensor<4x6xi32>) -> tuple<tensor<1x2x5x5xf32>, tensor<4x6xi32>>
  %7 = "stablehlo.get_tuple_element"(%t) <{index = 0 : i32}> : (tuple<tensor<1x2x5x5xf32>, tensor<4x6xi32>>) -> tensor<1x2x5x5xf32>
  %8 = "stablehlo.get_tuple_element"(%t) <{index = 1 : i32}> : (tuple<tensor<1x2x5x5xf32>, tensor<4x6xi32>>) -> tensor<4x6xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %9 = "stablehlo.set_dimension_size"(%x, %two) <{dimension = 1 : i64}> : (tensor<4x6xf32>, tensor<i32>) -> tensor<4x2xf32>
  return %0, %1, %2, %3, %4, %7, %8, %9 : tensor<6x4xf32>, tensor<3x4x6xf32>, tensor<7x9xf32>, tensor<2x3xf32>, tensor<2x6xf32>, tensor<1x2x5x5xf32>, tensor<4x6xi32>, tensor<4x2xf32>
}
