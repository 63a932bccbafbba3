module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32>) -> (tensor<4x8xf32> {jax.result_info = "result[0]"}, tensor<4x8xf32> {jax.result_info = "result[1]"}, tensor<4x8xf32> {jax.result_info = "result[2]"}, tensor<4x8xf32> {jax.result_info = "result[3]"}, tensor<4x8xf32> {jax.result_info = "result[4]"}, tensor<4x8xf32> {jax.result_info = "result[5]"}, tensor<4x8xf32> {jax.result_info = "result[6]"}, tensor<4x8xf32> {jax.result_info = "result[7]"}, tensor<4x8xf32> {jax.result_info = "result[8]"}, tensor<4x8xf32> {jax.result_info = "result[9]"}, tensor<4x8xf32> {jax.result_info = "result[10]"}, tensor<4x8xf32> {jax.result_info = "result[11]"}, tensor<4x8xf32> {jax.result_info = "result[12]"}, tensor<4x8xf32> {jax.result_info = "result[13]"}, tensor<4x8xi32> {jax.result_info = "result[14]"}, tensor<4x8xui8> {jax.result_info = "result[15]"}, tensor<4x8xf32> {jax.result_info = "result[16]"}, tensor<4x8xf32> {jax.result_info = "result[17]"}, tensor<4x8xf32> {jax.result_info = "result[18]"}, tensor<4x8xi1> {jax.result_info = "result[19]"}, tensor<4x8xf32> {jax.result_info = "result[20]"}, tensor<4x8xf32> {jax.result_info = "result[21]"}, tensor<4x8xf32> {jax.result_info = "result[22]"}) {
    %0 = chlo.asinh %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>
    %1 = call @arccosh(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = chlo.atanh %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>
    %3 = chlo.sinh %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>
    %4 = chlo.cosh %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>
    %5 = chlo.asin %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>
    %6 = chlo.acos %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>
    %7 = chlo.atan %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>
    %8 = stablehlo.atan2 %arg0, %arg0 : tensor<4x8xf32>
    %9 = stablehlo.cbrt %arg0 : tensor<4x8xf32>
    %10 = stablehlo.exponential_minus_one %arg0 : tensor<4x8xf32>
    %11 = stablehlo.log_plus_one %arg0 : tensor<4x8xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %13 = stablehlo.add %arg0, %12 : tensor<4x8xf32>
    %14 = chlo.next_after %arg0, %13 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
    %15 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<4x8xf32>
    %16 = stablehlo.convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xi32>
    %17 = stablehlo.popcnt %16 : tensor<4x8xi32>
    %18 = stablehlo.convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xui8>
    %19 = stablehlo.count_leading_zeros %18 : tensor<4x8xui8>
    %cst_0 = stablehlo.constant dense<0.693147182> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %21 = stablehlo.multiply %20, %arg0 : tensor<4x8xf32>
    %22 = stablehlo.exponential %21 : tensor<4x8xf32>
    %23 = chlo.square %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>
    %24 = stablehlo.negate %arg0 : tensor<4x8xf32>
    %25 = stablehlo.exponential %24 : tensor<4x8xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %27 = stablehlo.add %26, %25 : tensor<4x8xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %29 = stablehlo.divide %28, %27 : tensor<4x8xf32>
    %30 = stablehlo.is_finite %arg0 : (tensor<4x8xf32>) -> tensor<4x8xi1>
    %31 = stablehlo.remainder %arg0, %arg0 : tensor<4x8xf32>
    %32 = chlo.erf %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>
    %33 = call @sinc(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %14, %15, %17, %19, %22, %23, %29, %30, %31, %32, %33 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xui8>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
  func.func private @arccosh(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = chlo.acosh %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func private @sinc(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %1 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
    %cst_0 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<4x8xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = call @_where(%1, %cst_1, %3) : (tensor<4x8xi1>, tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %6 = stablehlo.multiply %3, %5 : tensor<4x8xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %8 = stablehlo.add %6, %7 : tensor<4x8xf32>
    %9 = stablehlo.sine %4 : tensor<4x8xf32>
    %10 = stablehlo.divide %9, %4 : tensor<4x8xf32>
    %11 = call @_where_0(%1, %8, %10) : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    return %11 : tensor<4x8xf32>
  }
  func.func private @_where(%arg0: tensor<4x8xi1>, %arg1: tensor<f32>, %arg2: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<4x8xi1>, tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
  func.func private @_where_0(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x8xi1>, tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
