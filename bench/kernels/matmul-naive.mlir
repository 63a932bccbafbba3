// A product of two matrices, a thread per element of the result: what staging in local memory is
// measured against.
func.func @main(%x: tensor<512x512xf32> {tgraph.name = "a"}, %w: tensor<512x512xf32> {tgraph.name = "b"}) -> (tensor<512x512xf32> {tgraph.name = "c"}) {
  %y = tkernel.kernel @matmul (%m : 512, %n : 512, %k : 512) reads(%a = %x : tensor<512x512xf32>, %b = %w : tensor<512x512xf32>) -> tensor<512x512xf32>
      attributes {schedule = #tkernel.schedule<[split n = [n_o, n_i 256], grid [m, n_o], order [k], tile [n_i], warps 8]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<512x512xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<512x512xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<512x512xf32>
}
