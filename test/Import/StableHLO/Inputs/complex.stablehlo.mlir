// Complex arguments and results, whose parts lie along one more dimension.
module {
func.func public @main(%x: tensor<2x4xcomplex<f32>>, %s: tensor<complex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<2x4xf32>, tensor<complex<f32>>) {
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  %p = stablehlo.reduce(%x init: %s) applies stablehlo.multiply across dimensions = [1] : (tensor<2x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
  %q = stablehlo.fft %x, type = FFT, length = [4] : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  %a = stablehlo.abs %q : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
  %w = stablehlo.reduce(%p init: %one) across dimensions = [0] : (tensor<2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
   reducer(%u: tensor<complex<f32>>, %v: tensor<complex<f32>>) {
    %two = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
    %m = stablehlo.multiply %u, %v : tensor<complex<f32>>
    %n = stablehlo.multiply %m, %two : tensor<complex<f32>>
    stablehlo.return %n : tensor<complex<f32>>
  }
  return %p, %q, %a, %w : tensor<2xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<2x4xf32>, tensor<complex<f32>>
}
}
