// Layer norm over rows, with scale and shift.
// sizes: i = 4096, j = 768
!X = tensor<4096x768xf32> // [i, j]
!V = tensor<768xf32> // [j]
func.func @main(%x: !X {tgraph.name = "x"}, %scale: !V {tgraph.name = "scale"}, %shift: !V {tgraph.name = "shift"}) -> (!X {tgraph.name = "y"}) {
  %y = tgraph.layer_norm %x scale %scale : !V bias %shift : !V dims [1] eps 1.0e-05 : !X
  return %y : !X
}
