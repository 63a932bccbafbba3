// Products of rows of several heads: threads have a row each, which go to local memory in blocks. Memory runs along the blocks, outside of whose dimension the buffer has two.
func.func @main(%q: tensor<4x32xf32>, %k: tensor<4x64x32xf32>) -> tensor<64x4xf32> {
  %y = tkernel.kernel @rows (%h : 4, %j : 64, %d : 32) reads(%a = %q : tensor<4x32xf32>, %b = %k : tensor<4x64x32xf32>) -> tensor<64x4xf32>
      attributes {schedule = #tkernel.schedule<[split d = [d_o, d_i 8], order [d_o, d_i], tile [j, h], unroll d_i, warps 1, stage row as (d_i, j, h) at d_o local]>} {
    %0 = tkernel.load %a[%h, %d] : tensor<4x32xf32>
    %1 = tkernel.load %b[%h, %j, %d] {name = "row"} : tensor<4x64x32xf32>
    %2 = tkernel.contract %0, %1 over (%d) : f32
    tkernel.store %2, 0[%j, %h] : f32
  }
  return %y : tensor<64x4xf32>
}
