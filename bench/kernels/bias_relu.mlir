// A bias for each channel, then ReLU; NCHW.
// sizes: n = 64, c = 256, h = 28, w = 28
!X = tensor<64x256x28x28xf32> // [n, c, h, w]
!V = tensor<256xf32> // [c]
func.func @main(%x: !X {tgraph.name = "x"}, %bias: !V {tgraph.name = "bias"}) -> (!X {tgraph.name = "y"}) {
  %y = tkernel.kernel @bias_relu (%n : 64, %c : 256, %h : 28, %w : 28) reads(%a = %x : !X, %b = %bias : !V) -> !X {
    %0 = tkernel.load %a[%n, %c, %h, %w] : !X
    %1 = tkernel.load %b[%c] : !V
    %2 = arith.addf %0, %1 : f32
    %zero = arith.constant 0.0 : f32
    %3 = arith.maximumf %2, %zero : f32
    tkernel.store %3, 0[%n, %c, %h, %w] : f32
  }
  return %y : !X
}
