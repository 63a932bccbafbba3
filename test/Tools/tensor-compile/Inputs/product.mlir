// A product whose best tile on AVX-512 is 12 x 32.
func.func @main(%x: tensor<96x80xf32> {tgraph.name = "a"}, %w: tensor<80x128xf32> {tgraph.name = "b"}) -> (tensor<96x128xf32> {tgraph.name = "c"}) {
  %y = tkernel.kernel @product (%m : 96, %n : 128, %k : 80) reads(%a = %x : tensor<96x80xf32>, %b = %w : tensor<80x128xf32>) -> tensor<96x128xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<96x80xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<80x128xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<96x128xf32>
}
