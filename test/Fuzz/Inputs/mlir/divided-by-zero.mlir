// fuzz: tensor-opt --kernel-schedule --verify-diagnostics
func.func @window_division(%x: tensor<4x0xf32>) -> tensor<32xf32> {
  %y = tkernel.kernel (%i : 32) reads(%a = %x : tensor<4x0xf32>) -> tensor<32xf32>
      attributes {schedule = #tkernel.schedule<[stage v window at grid local]>} {
    %v = tkernel.load %a[%i floordiv 0, %i mod 0] {name = "v"} : tensor<4x0xf32>
    tkernel.store %v, 0[%i] : f32
  }
  return %y : tensor<32xf32>
}
