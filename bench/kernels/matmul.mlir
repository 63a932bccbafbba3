// A product of two matrices. Without a schedule: the target's default is used.
func.func @main(%x: tensor<512x512xf32> {tgraph.name = "a"}, %w: tensor<512x512xf32> {tgraph.name = "b"}) -> (tensor<512x512xf32> {tgraph.name = "c"}) {
  %y = tkernel.kernel @matmul (%m : 512, %n : 512, %k : 512) reads(%a = %x : tensor<512x512xf32>, %b = %w : tensor<512x512xf32>) -> tensor<512x512xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<512x512xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<512x512xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<512x512xf32>
}
