// A product with a vector in parts of the sum, whose matrix is packed.
func.func @main(%x: tensor<1200xf32> {tgraph.name = "x"}, %w: tensor<1200x37xf32> {tgraph.name = "w"}) -> (tensor<37xf32> {tgraph.name = "y"}) {
  %y = tkernel.kernel @product (%n : 37, %k : 1200) reads(%a = %x : tensor<1200xf32>, %b = %w : tensor<1200x37xf32>) -> tensor<37xf32>
      attributes {schedule = #tkernel.schedule<[rfactor s over k = [kp, ki 256], split n = [no, nr 32], grid [kp, no], order [ki], tile [nr], warps 1, stage w as (kp, no, ki, nr) at kernel global, edge n mask]>} {
    %0 = tkernel.load %a[%k] : tensor<1200xf32>
    %1 = tkernel.load %b[%k, %n] {name = "w"} : tensor<1200x37xf32>
    %2 = tkernel.contract %0, %1 over (%k) {name = "s"} : f32
    tkernel.store %2, 0[%n] : f32
  }
  return %y : tensor<37xf32>
}
