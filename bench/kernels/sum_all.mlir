// The sum of all elements.
// sizes: i = 4194304
!X = tensor<4194304xf32> // [i]
func.func @main(%x: !X {tgraph.name = "x"}) -> (tensor<f32> {tgraph.name = "y"}) {
  %y = tkernel.kernel @sum (%i : 4194304) reads(%a = %x : !X) -> tensor<f32> {
    %v = tkernel.load %a[%i] : !X
    %s = tkernel.reduce addf %v over (%i) : f32
    tkernel.store %s, 0[] : f32
  }
  return %y : tensor<f32>
}
