// fuzz: tensor-opt --kernel-to-launch --kernel-to-tile --canonicalize --cse --tile-prove-bounds --interpret=integers=true
func.func @main(%x: tensor<50x40xf32>, %w: tensor<40x4294967296xf32>) -> tensor<50x4294967296xf32> {
  %y = tkernel.kernel @gemm (%m : 50, %n : 4294967296, %k : 40) reads(%a = %x : tensor<50x40xf32>, %b = %w : tensor<40x4294967296xf32>) -> tensor<50x4294967296xf32>
      attributes {schedule = #tkernel.schedule<[split m = [m_o, m_i 32], split n = [n_o, n_i 32], split k = [k_o, k_i 16], grid [m_o, n_o], order [k_o, k_i], tile [m_i, n_i], warps 2, stage lhs at k_o local, stage rhs at k_o local, edge k pad]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<50x40xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<40x4294967296xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<50x4294967296xf32>
}
