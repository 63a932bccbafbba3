func.func @main(%x: tensor<4x4xf32> {tgraph.name = "x"}) -> (tensor<4x4xf32> {tgraph.name = "y"}) {
  %w = tgraph.constant dense<[[1.0, 0.5, 0.25, 0.125], [0.5, 2.0, 0.5, 0.25], [0.25, 0.5, 3.0, 0.5], [0.125, 0.25, 0.5, 4.0]]> : tensor<4x4xf32>
  %0 = tgraph.contract "mk,kn->mn" %x, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = tgraph.contract "mk,kn->mn" %0, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
