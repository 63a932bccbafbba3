// Rows whose sum is shared by more threads than small devices have in a group.
func.func @main(%x: tensor<8x256xf32> {tgraph.name = "x"}) -> (tensor<8xf32> {tgraph.name = "y"}) {
  %y = tkernel.kernel @rows (%i : 8, %j : 256) reads(%a = %x : tensor<8x256xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j], warps 2]>} {
    %v = tkernel.load %a[%i, %j] : tensor<8x256xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}
