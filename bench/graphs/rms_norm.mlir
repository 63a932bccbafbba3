// RMS norm over rows, with scale.
// sizes: i = 4096, j = 1024
!X = tensor<4096x1024xf32> // [i, j]
!V = tensor<1024xf32> // [j]
!W = tensor<1x1024xf32> // [1, j]
!S = tensor<4096xf32> // [i]
!R = tensor<4096x1xf32> // [i, 1]
func.func @main(%x: !X {tgraph.name = "x"}, %scale: !V {tgraph.name = "scale"}) -> (!X {tgraph.name = "y"}) {
  %x2 = tgraph.mul %x, %x : !X
  %sum = tgraph.reduce add %x2 dims [1] : !X -> !S
  %s2 = tgraph.reshape %sum : !S -> !R
  %count = tgraph.constant dense<1024.0> : tensor<f32> // 1024.0 = j
  %eps = tgraph.constant dense<1.0e-05> : tensor<f32>
  %0 = tgraph.reshape %count : tensor<f32> -> tensor<1x1xf32>
  %1 = tgraph.expand %0 : tensor<1x1xf32> -> !R
  %mean = tgraph.div %s2, %1 : !R
  %2 = tgraph.reshape %eps : tensor<f32> -> tensor<1x1xf32>
  %3 = tgraph.expand %2 : tensor<1x1xf32> -> !R
  %above = tgraph.add %mean, %3 : !R
  %r = tgraph.rsqrt %above : !R
  %4 = tgraph.expand %r : !R -> !X
  %n = tgraph.mul %x, %4 : !X
  %5 = tgraph.reshape %scale : !V -> !W
  %6 = tgraph.expand %5 : !W -> !X
  %y = tgraph.mul %n, %6 : !X
  return %y : !X
}
