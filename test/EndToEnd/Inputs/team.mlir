// A product whose extents no block divides.
func.func @main(%x: tensor<203x131xf32> {tgraph.name = "a"}, %w: tensor<131x97xf32> {tgraph.name = "b"}) -> (tensor<203x97xf32> {tgraph.name = "c"}) {
  %y = tkernel.kernel @gemm (%m : 203, %n : 97, %k : 131) reads(%a = %x : tensor<203x131xf32>, %b = %w : tensor<131x97xf32>) -> tensor<203x97xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<203x131xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<131x97xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<203x97xf32>
}
