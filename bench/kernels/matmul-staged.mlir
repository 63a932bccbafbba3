// A product of two matrices: tiles of 64 by 64, blocks of both operands in local memory.
func.func @main(%x: tensor<512x512xf32> {tgraph.name = "a"}, %w: tensor<512x512xf32> {tgraph.name = "b"}) -> (tensor<512x512xf32> {tgraph.name = "c"}) {
  %y = tkernel.kernel @matmul (%m : 512, %n : 512, %k : 512) reads(%a = %x : tensor<512x512xf32>, %b = %w : tensor<512x512xf32>) -> tensor<512x512xf32>
      attributes {schedule = #tkernel.schedule<[split m = [m_o, m_i 64], split n = [n_o, n_i 64], split k = [k_o, k_i 16], grid [m_o, n_o], order [k_o, k_i], tile [m_i, n_i], unroll k_i, warps 8, stage lhs at k_o local, stage rhs at k_o local]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<512x512xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<512x512xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<512x512xf32>
}
