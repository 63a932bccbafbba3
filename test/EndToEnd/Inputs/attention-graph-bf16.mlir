// Attention of bf16 as graphs have it: each op rounds its result, softmax computes in f32.
!T = tensor<1x2x96x64xbf16>
!S = tensor<1x2x96x96xbf16>
func.func @main(%q: !T {tgraph.name = "q"}, %k: !T {tgraph.name = "k"}, %v: !T {tgraph.name = "v"}) -> (!T {tgraph.name = "o"}) {
  %s = tgraph.contract "bhid,bhjd->bhij" %q, %k : !T, !T -> !S
  %c = tgraph.constant dense<0.125> : !S
  %m = tgraph.mul %s, %c : !S
  %p = tgraph.softmax %m dim 3 : !S
  %o = tgraph.contract "bhij,bhje->bhie" %p, %v : !S, !T -> !T
  return %o : !T
}
