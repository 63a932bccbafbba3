// A product whose rows begin in the middle of sectors. Two subgroups copy 64 bytes of each, a thread two times 16.
func.func @main(%x: tensor<64x136xbf16> {tgraph.name = "a"}, %w: tensor<136x72xbf16> {tgraph.name = "b"}) -> (tensor<64x72xf32> {tgraph.name = "c"}) {
  %y = tkernel.kernel @gemm (%m : 64, %n : 72, %k : 136) reads(%a = %x : tensor<64x136xbf16>, %b = %w : tensor<136x72xbf16>) -> tensor<64x72xf32>
      attributes {schedule = #tkernel.schedule<[split k = [k_o, k_i 32], split m = [m_o, m_i 32], split n = [n_o, n_i 32], grid [m_o, n_o], order [k_o], tile [k_i, m_i, n_i], contract k_i dot, warps 2, stage lhs as (m_i, k_i) at k_o local, stage rhs as (k_i, n_i) at k_o local, prefetch lhs 3, prefetch rhs 3, edge k pad, edge n mask]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<64x136xbf16>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<136x72xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<64x72xf32>
}
