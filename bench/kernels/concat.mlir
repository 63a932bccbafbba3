// Two matrices side by side.
// sizes: i = 1024, j = 1024, left = 448
!A = tensor<1024x448xf32> // [i, left]
!B = tensor<1024x576xf32> // [i, j - left]
!Y = tensor<1024x1024xf32> // [i, j]
func.func @main(%x: !A {tgraph.name = "a"}, %z: !B {tgraph.name = "b"}) -> (!Y {tgraph.name = "y"}) {
  %y = tkernel.kernel @concat (%i : 1024, %j : 1024) reads(%a = %x : !A, %b = %z : !B) -> !Y {
    %0 = tkernel.load %a[%i, %j] else 0.0 : !A
    %1 = tkernel.load %b[%i, %j - 448] else 0.0 : !B // 448 = left
    %border = arith.constant 448 : index // 448 = left
    %first = arith.cmpi slt, %j, %border : index
    %2 = arith.select %first, %0, %1 : f32
    tkernel.store %2, 0[%i, %j] : f32
  }
  return %y : !Y
}
