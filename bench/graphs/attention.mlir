// Attention: softmax over all keys.
// sizes: b = 1, h = 12, i = 512, j = 512, d = 64, e = 64
!Q = tensor<1x12x512x64xf32> // [b, h, i, d]
!K = tensor<1x12x512x64xf32> // [b, h, j, d]
!V = tensor<1x12x512x64xf32> // [b, h, j, e]
!S = tensor<1x12x512x512xf32> // [b, h, i, j]
!O = tensor<1x12x512x64xf32> // [b, h, i, e]
func.func @main(%query: !Q {tgraph.name = "q"}, %key: !K {tgraph.name = "k"}, %value: !V {tgraph.name = "v"}) -> (!O {tgraph.name = "o"}) {
  %scale = tgraph.constant dense<0.125> : tensor<f32> // 0.125 = d ** -0.5
  %0 = tgraph.reshape %scale : tensor<f32> -> tensor<1x1x1x1xf32>
  %1 = tgraph.expand %0 : tensor<1x1x1x1xf32> -> !S
  %2 = tgraph.contract "bhid,bhjd->bhij" %query, %key : !Q, !K -> !S
  %s = tgraph.mul %2, %1 : !S
  %p = tgraph.softmax %s dim 3 : !S
  %o = tgraph.contract "bhij,bhje->bhie" %p, %value : !S, !V -> !O
  return %o : !O
}
