// A product of matrices in kernel form, with a schedule written by hand: tiles of 8 rows and 32 columns.
func.func @main(%x: tensor<256x256xf32> {tgraph.name = "a"}, %w: tensor<256x256xf32> {tgraph.name = "b"}) -> (tensor<256x256xf32> {tgraph.name = "c"}) {
  %y = tkernel.kernel @product (%m : 256, %n : 256, %k : 256) reads(%a = %x : tensor<256x256xf32>, %b = %w : tensor<256x256xf32>) -> tensor<256x256xf32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mr 8], split n = [no, nr 32], grid [mo], order [no, k], tile [mr, nr]]>} {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<256x256xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<256x256xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<256x256xf32>
}
