// fuzz: tensor-opt --kernel-schedule --kernel-to-launch --kernel-to-tile --canonicalize --cse
func.func @main(%x: tensor<3x?xbf16>, %w: tensor<8x3x3xbf16>) -> tensor<16x8xf32> {
  %y = tkernel.kernel @groups (%q : 16, %f : 8, %c : 3, %s : 3) reads(%a = %x : tensor<3x?xbf16>, %b = %w : tensor<8x3x3xbf16>) -> tensor<16x8xf32>
      attributes {schedule = #tkernel.schedule<[split c = [c_o, c_g 2], order [c_o, s], tile [c_g, q, f], stage x window at grid local, stage w at grid local, contract c_g dot, edge c pad]>} {
    %0 = tkernel.load %a[%c, %q + %s] {name = "x"} : tensor<3x?xbf16>
    %1 = tkernel.load %b[%f, %c, %s] {name = "w"} : tensor<8x3x3xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %s) : bf16, bf16 -> f32
    tkernel.store %2, 0[%q, %f] : f32
  }
  return %y : tensor<16x8xf32>
}
