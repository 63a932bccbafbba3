// One step of a training, as text: a perceptron of one hidden layer learns to read the digits of
// dataset.py. Results take the memory of the parameters (tgraph.alias), so steps follow each other:
//
//   python dataset.py . 64
//   tensor-run step.mlir --steps=2000 --batches=x=train.x.npy --batches=t=train.t.npy --state=digits.safetensors
//   tensor-run step.mlir --function=test --steps=5 --batches=x=test.x.npy --batches=t=test.t.npy --state=digits.safetensors
//
// What stands behind the loss is what `tensor-opt --graph-differentiate='of=loss wrt=w1,b1,w2'` gives
// for it, and an update by gradient descent.
func.func @main(%x: tensor<64x64xf32> {tgraph.name = "x"}, %t: tensor<64xi64> {tgraph.name = "t"},
                %w1: tensor<64x128xf32> {tgraph.name = "w1", tgraph.alias = 1 : i64},
                %b1: tensor<1x128xf32> {tgraph.name = "b1", tgraph.alias = 2 : i64},
                %w2: tensor<128x10xf32> {tgraph.name = "w2", tgraph.alias = 3 : i64})
    -> (tensor<f32> {tgraph.name = "loss"}, tensor<64x128xf32>, tensor<1x128xf32>, tensor<128x10xf32>) {
  // h = tanh(x w1 + b1), p = log_softmax(h w2), loss = -mean(p at the digit)
  %0 = tgraph.contract "mk,kn->mn" %x, %w1 : tensor<64x64xf32>, tensor<64x128xf32> -> tensor<64x128xf32>
  %1 = tgraph.expand %b1 : tensor<1x128xf32> -> tensor<64x128xf32>
  %2 = tgraph.add %0, %1 : tensor<64x128xf32>
  %h = tgraph.tanh %2 : tensor<64x128xf32>
  %y = tgraph.contract "mk,kn->mn" %h, %w2 : tensor<64x128xf32>, tensor<128x10xf32> -> tensor<64x10xf32>
  %p = tgraph.log_softmax %y dim 1 : tensor<64x10xf32>
  %classes = tgraph.iota dim 1 : tensor<64x10xi64>
  %3 = tgraph.reshape %t : tensor<64xi64> -> tensor<64x1xi64>
  %4 = tgraph.expand %3 : tensor<64x1xi64> -> tensor<64x10xi64>
  %5 = tgraph.compare eq, %4, %classes : tensor<64x10xi64>
  %is = tgraph.cast %5 : tensor<64x10xi1> to tensor<64x10xf32>
  %6 = tgraph.mul %is, %p : tensor<64x10xf32>
  %7 = tgraph.reduce add %6 dims [0, 1] : tensor<64x10xf32> -> tensor<f32>
  %8 = tgraph.constant dense<-0.015625> : tensor<f32>
  %loss = tgraph.mul %7, %8 : tensor<f32>
  // Derivatives: of y it is (softmax(y) - is) / 64.
  %9 = tgraph.exp %p : tensor<64x10xf32>
  %10 = tgraph.sub %9, %is : tensor<64x10xf32>
  %11 = tgraph.constant dense<0.015625> : tensor<64x10xf32>
  %dy = tgraph.mul %10, %11 : tensor<64x10xf32>
  %dw2 = tgraph.contract "mk,mn->kn" %h, %dy : tensor<64x128xf32>, tensor<64x10xf32> -> tensor<128x10xf32>
  %dh = tgraph.contract "mn,kn->mk" %dy, %w2 : tensor<64x10xf32>, tensor<128x10xf32> -> tensor<64x128xf32>
  %12 = tgraph.mul %h, %h : tensor<64x128xf32>
  %13 = tgraph.constant dense<1.0> : tensor<64x128xf32>
  %14 = tgraph.sub %13, %12 : tensor<64x128xf32>
  %d = tgraph.mul %dh, %14 : tensor<64x128xf32>
  %dw1 = tgraph.contract "mk,mn->kn" %x, %d : tensor<64x64xf32>, tensor<64x128xf32> -> tensor<64x128xf32>
  %15 = tgraph.reduce add %d dims [0] : tensor<64x128xf32> -> tensor<128xf32>
  %db1 = tgraph.reshape %15 : tensor<128xf32> -> tensor<1x128xf32>
  // Down the slope.
  %r1 = tgraph.constant dense<0.3> : tensor<64x128xf32>
  %16 = tgraph.mul %dw1, %r1 : tensor<64x128xf32>
  %next1 = tgraph.sub %w1, %16 : tensor<64x128xf32>
  %r2 = tgraph.constant dense<0.3> : tensor<1x128xf32>
  %17 = tgraph.mul %db1, %r2 : tensor<1x128xf32>
  %nextb = tgraph.sub %b1, %17 : tensor<1x128xf32>
  %r3 = tgraph.constant dense<0.3> : tensor<128x10xf32>
  %18 = tgraph.mul %dw2, %r3 : tensor<128x10xf32>
  %next2 = tgraph.sub %w2, %18 : tensor<128x10xf32>
  return %loss, %next1, %nextb, %next2 : tensor<f32>, tensor<64x128xf32>, tensor<1x128xf32>, tensor<128x10xf32>
}

// The part of a batch that the network reads right, with the parameters as they are.
func.func @test(%x: tensor<64x64xf32> {tgraph.name = "x"}, %t: tensor<64xi64> {tgraph.name = "t"},
                %w1: tensor<64x128xf32> {tgraph.name = "w1", tgraph.alias = 1 : i64},
                %b1: tensor<1x128xf32> {tgraph.name = "b1", tgraph.alias = 2 : i64},
                %w2: tensor<128x10xf32> {tgraph.name = "w2", tgraph.alias = 3 : i64})
    -> (tensor<f32> {tgraph.name = "accuracy"}, tensor<64x128xf32>, tensor<1x128xf32>, tensor<128x10xf32>) {
  %0 = tgraph.contract "mk,kn->mn" %x, %w1 : tensor<64x64xf32>, tensor<64x128xf32> -> tensor<64x128xf32>
  %1 = tgraph.expand %b1 : tensor<1x128xf32> -> tensor<64x128xf32>
  %2 = tgraph.add %0, %1 : tensor<64x128xf32>
  %h = tgraph.tanh %2 : tensor<64x128xf32>
  %y = tgraph.contract "mk,kn->mn" %h, %w2 : tensor<64x128xf32>, tensor<128x10xf32> -> tensor<64x10xf32>
  %read = tgraph.arg_reduce max %y dim 1 : tensor<64x10xf32> -> tensor<64xi64>
  %3 = tgraph.compare eq, %read, %t : tensor<64xi64>
  %4 = tgraph.cast %3 : tensor<64xi1> to tensor<64xf32>
  %5 = tgraph.reduce add %4 dims [0] : tensor<64xf32> -> tensor<f32>
  %6 = tgraph.constant dense<0.015625> : tensor<f32>
  %accuracy = tgraph.mul %5, %6 : tensor<f32>
  return %accuracy, %w1, %b1, %w2 : tensor<f32>, tensor<64x128xf32>, tensor<1x128xf32>, tensor<128x10xf32>
}
