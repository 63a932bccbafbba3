// GELU by the error function.
// sizes: i = 4194304
!X = tensor<4194304xf32> // [i]
func.func @main(%x: !X {tgraph.name = "x"}) -> (!X {tgraph.name = "y"}) {
  %y = tkernel.kernel @gelu (%i : 4194304) reads(%a = %x : !X) -> !X {
    %v = tkernel.load %a[%i] : !X
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.707106769 : f32
    %0 = arith.mulf %v, %root : f32
    %1 = math.erf %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.mulf %v, %half : f32
    %4 = arith.mulf %3, %2 : f32
    tkernel.store %4, 0[%i] : f32
  }
  return %y : !X
}
