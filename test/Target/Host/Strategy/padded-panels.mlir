// Panels of 24 points of images of 14 x 14: 196 are no multiple of 24, and whether a point is inside takes no division, so
// vectors run along the points.
// RUN: tensor-compile %s --target=host:znver3 --option=threads=2 --explain | FileCheck %s

// CHECK: tile [pq_l
func.func @main(%a: tensor<1x256x14x14xf32> {tgraph.name = "x"}) -> (tensor<9x256x24xf32> {tgraph.name = "y"}) {
  %0 = tkernel.kernel @pack (%pq_o : 9, %c : 256, %pq_l : 24) reads(%x = %a : tensor<1x256x14x14xf32>) -> tensor<9x256x24xf32> {
    %p = tkernel.load %x[0, %c, %pq_o + (%pq_o * 10 + %pq_l) floordiv 14, (%pq_o * 10 + %pq_l) mod 14] : tensor<1x256x14x14xf32>
    tkernel.store %p, 0[%pq_o, %c, %pq_l] : f32
  }
  return %0 : tensor<9x256x24xf32>
}
