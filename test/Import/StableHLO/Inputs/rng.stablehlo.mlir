// Numbers of a generator with hidden state, in a function that is called twice.
module {
func.func public @main(%low: tensor<f32>, %high: tensor<f32>) -> (tensor<40x50xf32>, tensor<40x50xf32>, tensor<2000xf64>, tensor<2000xi32>) {
  %0 = call @draw(%low, %high) : (tensor<f32>, tensor<f32>) -> tensor<40x50xf32>
  %1 = call @draw(%low, %high) : (tensor<f32>, tensor<f32>) -> tensor<40x50xf32>
  %shape = stablehlo.constant dense<2000> : tensor<1xi64>
  %mean = stablehlo.constant dense<3.0> : tensor<f64>
  %deviation = stablehlo.constant dense<0.5> : tensor<f64>
  %2 = stablehlo.rng %mean, %deviation, %shape, distribution = NORMAL : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<2000xf64>
  %from = stablehlo.constant dense<-2> : tensor<i32>
  %to = stablehlo.constant dense<3> : tensor<i32>
  %3 = "stablehlo.rng"(%from, %to, %shape) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<2000xi32>
  return %0, %1, %2, %3 : tensor<40x50xf32>, tensor<40x50xf32>, tensor<2000xf64>, tensor<2000xi32>
}
func.func private @draw(%low: tensor<f32>, %high: tensor<f32>) -> tensor<40x50xf32> {
  %shape = stablehlo.constant dense<[40, 50]> : tensor<2xi64>
  %0 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<40x50xf32>
  return %0 : tensor<40x50xf32>
}
}
