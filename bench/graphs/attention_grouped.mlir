// Attention: each head of keys and values serves g heads of queries; causal, the last query sees all keys.
// sizes: b = 1, h = 2, g = 4, i = 128, j = 640, d = 64, e = 64
!Q = tensor<1x8x128x64xf32> // [b, h * g, i, d]
!G = tensor<1x2x4x128x64xf32> // [b, h, g, i, d]
!K = tensor<1x2x640x64xf32> // [b, h, j, d]
!V = tensor<1x2x640x64xf32> // [b, h, j, e]
!S = tensor<1x2x4x128x640xf32> // [b, h, g, i, j]
!I = tensor<1x2x4x128x640xi64> // [b, h, g, i, j]
!P = tensor<1x2x4x128x64xf32> // [b, h, g, i, e]
!O = tensor<1x8x128x64xf32> // [b, h * g, i, e]
func.func @main(%query: !Q {tgraph.name = "q"}, %key: !K {tgraph.name = "k"}, %value: !V {tgraph.name = "v"}) -> (!O {tgraph.name = "o"}) {
  %scale = tgraph.constant dense<0.125> : tensor<f32> // 0.125 = d ** -0.5
  %0 = tgraph.reshape %scale : tensor<f32> -> tensor<1x1x1x1x1xf32>
  %1 = tgraph.expand %0 : tensor<1x1x1x1x1xf32> -> !S
  %groups = tgraph.reshape %query : !Q -> !G
  %2 = tgraph.contract "bhgid,bhjd->bhgij" %groups, %key : !G, !K -> !S
  %3 = tgraph.mul %2, %1 : !S
  %rows = tgraph.iota dim 3 : !I
  %columns = tgraph.iota dim 4 : !I
  %6 = tgraph.constant dense<512> : tensor<i64> // 512 = j - i
  %7 = tgraph.reshape %6 : tensor<i64> -> tensor<1x1x1x1x1xi64>
  %8 = tgraph.expand %7 : tensor<1x1x1x1x1xi64> -> !I
  %last = tgraph.add %rows, %8 : !I
  %seen = tgraph.compare ge, %last, %columns : !I
  %4 = tgraph.constant dense<0xFF800000> : tensor<f32>
  %5 = tgraph.reshape %4 : tensor<f32> -> tensor<1x1x1x1x1xf32>
  %never = tgraph.expand %5 : tensor<1x1x1x1x1xf32> -> !S
  %s = tgraph.select %seen, %3, %never : !S
  %p = tgraph.softmax %s dim 4 : !S
  %9 = tgraph.contract "bhgij,bhje->bhgie" %p, %value : !S, !V -> !P
  %o = tgraph.reshape %9 : !P -> !O
  return %o : !O
}
