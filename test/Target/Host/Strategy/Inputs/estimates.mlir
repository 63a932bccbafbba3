// Kernels by hand whose limits are known: what sums wait for themselves, a matrix that the first cache does not hold, dots.
func.func @main(%x: tensor<64x4096xf32>, %v: tensor<16x128xf32>, %w: tensor<128x512xf32>, %p: tensor<96x64xbf16>, %q: tensor<64x128xbf16>) -> (tensor<64xf32>, tensor<16x512xf32>, tensor<96x128xf32>) {
  %0 = tkernel.kernel @waits (%i : 64, %j : 4096) reads(%a = %x : tensor<64x4096xf32>) -> tensor<64xf32>
      attributes {schedule = #tkernel.schedule<[split j = [j_o, j_l 8], order [i, j_o], tile [j_l]]>} {
    %e = tkernel.load %a[%i, %j] : tensor<64x4096xf32>
    %s = tkernel.reduce addf %e over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  %1 = tkernel.kernel @far (%m : 16, %n : 512, %k : 128) reads(%a = %v : tensor<16x128xf32>, %b = %w : tensor<128x512xf32>) -> tensor<16x512xf32>
      attributes {schedule = #tkernel.schedule<[split n = [n_o, n_l 128], order [m, n_o, k], tile [n_l]]>} {
    %l = tkernel.load %a[%m, %k] : tensor<16x128xf32>
    %r = tkernel.load %b[%k, %n] : tensor<128x512xf32>
    %s = tkernel.contract %l, %r over (%k) : f32
    tkernel.store %s, 0[%m, %n] : f32
  }
  %2 = tkernel.kernel @dots (%m : 96, %n : 128, %k : 64) reads(%a = %p : tensor<96x64xbf16>, %b = %q : tensor<64x128xbf16>) -> tensor<96x128xf32>
      attributes {schedule = #tkernel.schedule<[split k = [k_o, k_i 2], split n = [n_o, n_l 32], split m = [m_o, m_r 12], grid [m_o], order [n_o, k_o], tile [k_i, m_r, n_l], contract k_i dot]>} {
    %l = tkernel.load %a[%m, %k] : tensor<96x64xbf16>
    %r = tkernel.load %b[%k, %n] : tensor<64x128xbf16>
    %s = tkernel.contract %l, %r over (%k) : bf16, bf16 -> f32
    tkernel.store %s, 0[%m, %n] : f32
  }
  return %0, %1, %2 : tensor<64xf32>, tensor<16x512xf32>, tensor<96x128xf32>
}
