// Attention: softmax over the keys up to the query's place.
// sizes: b = 1, h = 8, i = 2048, j = 2048, d = 64, e = 64
!Q = tensor<1x8x2048x64xf32> // [b, h, i, d]
!K = tensor<1x8x2048x64xf32> // [b, h, j, d]
!V = tensor<1x8x2048x64xf32> // [b, h, j, e]
!S = tensor<1x8x2048x2048xf32> // [b, h, i, j]
!I = tensor<1x8x2048x2048xi64> // [b, h, i, j]
!O = tensor<1x8x2048x64xf32> // [b, h, i, e]
func.func @main(%query: !Q {tgraph.name = "q"}, %key: !K {tgraph.name = "k"}, %value: !V {tgraph.name = "v"}) -> (!O {tgraph.name = "o"}) {
  %scale = tgraph.constant dense<0.125> : tensor<f32> // 0.125 = d ** -0.5
  %0 = tgraph.reshape %scale : tensor<f32> -> tensor<1x1x1x1xf32>
  %1 = tgraph.expand %0 : tensor<1x1x1x1xf32> -> !S
  %2 = tgraph.contract "bhid,bhjd->bhij" %query, %key : !Q, !K -> !S
  %3 = tgraph.mul %2, %1 : !S
  %rows = tgraph.iota dim 2 : !I
  %columns = tgraph.iota dim 3 : !I
  %seen = tgraph.compare ge, %rows, %columns : !I
  %4 = tgraph.constant dense<0xFF800000> : tensor<f32>
  %5 = tgraph.reshape %4 : tensor<f32> -> tensor<1x1x1x1xf32>
  %never = tgraph.expand %5 : tensor<1x1x1x1xf32> -> !S
  %s = tgraph.select %seen, %3, %never : !S
  %p = tgraph.softmax %s dim 3 : !S
  %o = tgraph.contract "bhij,bhje->bhie" %p, %value : !S, !V -> !O
  return %o : !O
}
