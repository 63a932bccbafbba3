// One step of a training, as text: a perceptron of one hidden layer learns which of two moons points
// are of. Results take the memory of the parameters (tgraph.alias), so steps follow each other:
//
//   tensor-run step.mlir --steps=500 --batches=x=x.npy --batches=t=t.npy --state=moons.safetensors
//
// What stands behind the loss is what `tensor-opt --graph-differentiate` gives for it, and an update
// by gradient descent.
func.func @main(%x: tensor<64x2xf32> {tgraph.name = "x"}, %t: tensor<64x1xf32> {tgraph.name = "t"},
                %w1: tensor<2x16xf32> {tgraph.name = "w1", tgraph.alias = 1 : i64},
                %b1: tensor<1x16xf32> {tgraph.name = "b1", tgraph.alias = 2 : i64},
                %w2: tensor<16x1xf32> {tgraph.name = "w2", tgraph.alias = 3 : i64})
    -> (tensor<f32> {tgraph.name = "loss"}, tensor<2x16xf32>, tensor<1x16xf32>, tensor<16x1xf32>) {
  // h = tanh(x w1 + b1), loss = mean((h w2 - t)^2)
  %0 = tgraph.contract "mk,kn->mn" %x, %w1 : tensor<64x2xf32>, tensor<2x16xf32> -> tensor<64x16xf32>
  %1 = tgraph.expand %b1 : tensor<1x16xf32> -> tensor<64x16xf32>
  %2 = tgraph.add %0, %1 : tensor<64x16xf32>
  %h = tgraph.tanh %2 : tensor<64x16xf32>
  %y = tgraph.contract "mk,kn->mn" %h, %w2 : tensor<64x16xf32>, tensor<16x1xf32> -> tensor<64x1xf32>
  %e = tgraph.sub %y, %t : tensor<64x1xf32>
  %3 = tgraph.mul %e, %e : tensor<64x1xf32>
  %4 = tgraph.reduce add %3 dims [0, 1] : tensor<64x1xf32> -> tensor<f32>
  %5 = tgraph.constant dense<0.015625> : tensor<f32>
  %loss = tgraph.mul %4, %5 : tensor<f32>
  // Derivatives.
  %6 = tgraph.constant dense<0.03125> : tensor<64x1xf32>
  %dy = tgraph.mul %e, %6 : tensor<64x1xf32>
  %dw2 = tgraph.contract "mk,mn->kn" %h, %dy : tensor<64x16xf32>, tensor<64x1xf32> -> tensor<16x1xf32>
  %dh = tgraph.contract "mn,kn->mk" %dy, %w2 : tensor<64x1xf32>, tensor<16x1xf32> -> tensor<64x16xf32>
  %7 = tgraph.mul %h, %h : tensor<64x16xf32>
  %8 = tgraph.constant dense<1.0> : tensor<64x16xf32>
  %9 = tgraph.sub %8, %7 : tensor<64x16xf32>
  %d = tgraph.mul %dh, %9 : tensor<64x16xf32>
  %dw1 = tgraph.contract "mk,mn->kn" %x, %d : tensor<64x2xf32>, tensor<64x16xf32> -> tensor<2x16xf32>
  %10 = tgraph.reduce add %d dims [0] : tensor<64x16xf32> -> tensor<16xf32>
  %db1 = tgraph.reshape %10 : tensor<16xf32> -> tensor<1x16xf32>
  // Down the slope.
  %r1 = tgraph.constant dense<0.3> : tensor<2x16xf32>
  %11 = tgraph.mul %dw1, %r1 : tensor<2x16xf32>
  %next1 = tgraph.sub %w1, %11 : tensor<2x16xf32>
  %r2 = tgraph.constant dense<0.3> : tensor<1x16xf32>
  %12 = tgraph.mul %db1, %r2 : tensor<1x16xf32>
  %nextb = tgraph.sub %b1, %12 : tensor<1x16xf32>
  %r3 = tgraph.constant dense<0.3> : tensor<16x1xf32>
  %13 = tgraph.mul %dw2, %r3 : tensor<16x1xf32>
  %next2 = tgraph.sub %w2, %13 : tensor<16x1xf32>
  return %loss, %next1, %nextb, %next2 : tensor<f32>, tensor<2x16xf32>, tensor<1x16xf32>, tensor<16x1xf32>
}
