// Quantised tensors, per tensor and along a dimension, as arguments, constants and results.
!a = !quant.uniform<i8:f32, 0.5:3>
!b = !quant.uniform<u8:f32, 0.25:128>
!w = !quant.uniform<i8<-127:127>:f32:1, {0.1, 0.2:0, 0.05}>
!c = !quant.uniform<i8:f32, 2.0:-5>
!n = !quant.uniform<i8:f32:0, {0.5, 1.0:7}>
module {
func.func public @main(%x: tensor<2x4xf32>, %q: tensor<2x4x!a>) -> (tensor<2x4x!a>, tensor<2x4xf32>, tensor<2x4x!b>, tensor<4x2x!a>, tensor<2x3x!c>, tensor<2x3xf32>, tensor<2x4x!n>, tensor<2x4xi1>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<2x4xf32>) -> tensor<2x4x!a>
  %1 = stablehlo.add %0, %q : tensor<2x4x!a>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<2x4x!a>) -> tensor<2x4xf32>
  %3 = stablehlo.uniform_quantize %q : (tensor<2x4x!a>) -> tensor<2x4x!b>
  %4 = stablehlo.transpose %q, dims = [1, 0] : (tensor<2x4x!a>) -> tensor<4x2x!a>
  %5 = "stablehlo.constant"() <{value = dense<[[1, 2, 3], [-4, 5, -6], [7, -8, 9], [100, -100, 127]]> : tensor<4x3xi8>}> : () -> tensor<4x3x!w>
  %6 = stablehlo.dot_general %q, %5, contracting_dims = [1] x [0] : (tensor<2x4x!a>, tensor<4x3x!w>) -> tensor<2x3x!c>
  %7 = stablehlo.uniform_dequantize %5 : (tensor<4x3x!w>) -> tensor<4x3xf32>
  %8 = stablehlo.dot_general %x, %7, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %9 = stablehlo.uniform_quantize %x : (tensor<2x4xf32>) -> tensor<2x4x!n>
  %10 = stablehlo.compare LT, %0, %q : (tensor<2x4x!a>, tensor<2x4x!a>) -> tensor<2x4xi1>
  return %1, %2, %3, %4, %6, %8, %9, %10 : tensor<2x4x!a>, tensor<2x4xf32>, tensor<2x4x!b>, tensor<4x2x!a>, tensor<2x3x!c>, tensor<2x3xf32>, tensor<2x4x!n>, tensor<2x4xi1>
}
}
