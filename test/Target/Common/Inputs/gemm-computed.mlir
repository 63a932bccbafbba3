// Weights that each step computes and units read beside a ring.
func.func @main(%s: tensor<2x128x128xf32> {tgraph.name = "s"}, %v: tensor<2x128x64xbf16> {tgraph.name = "v"}) -> (tensor<2x128x64xbf16> {tgraph.name = "c"}) {
  %y = tkernel.kernel @weighted (%b : 2, %y : 128, %z : 64, %x : 128) reads(%a = %s : tensor<2x128x128xf32>, %w = %v : tensor<2x128x64xbf16>) -> tensor<2x128x64xbf16> attributes {schedule = #tkernel.schedule<[
      split x = [x_o, x_i 32], grid [b], order [x_o], tile [x_i, y, z], contract x_i dot, warps 4, stage lhs as (x_i, y) at x_o local, stage rhs as (x_i, z) at x_o local, prefetch rhs 3]>} {
    %0 = tkernel.load %a[%b, %y, %x] : tensor<2x128x128xf32>
    %1 = math.exp %0 : f32
    %2 = arith.truncf %1 {name = "lhs"} : f32 to bf16
    %3 = tkernel.load %w[%b, %x, %z] {name = "rhs"} : tensor<2x128x64xbf16>
    %4 = tkernel.contract %2, %3 over (%x) : bf16, bf16 -> f32
    %5 = arith.truncf %4 : f32 to bf16
    tkernel.store %5, 0[%b, %y, %z] : bf16
  }
  return %y : tensor<2x128x64xbf16>
}
