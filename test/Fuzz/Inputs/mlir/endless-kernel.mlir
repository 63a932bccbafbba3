// fuzz: tensor-opt --kernel-schedule
func.func @main(%x: tensor<1x13x14x14xf32>, %w: tensor<259x13x2x2xf32>) -> tensor<1x259x9223372036854775807x9223372036854775807xf32> {
  %y = tkernel.kernel @conv (%n : 1, %f : 259, %p : 9223372036854775807, %q : 9223372036854775807, %c : 13, %r : 2, %s : 2) reads(%in = %x : tensor<1x13x14x14xf32>, %weights = %w : tensor<259x13x2x2xf32>) -> tensor<1x259x9223372036854775807x9223372036854775807xf32> {
    %0 = tkernel.load %in[%n, %c, 2 * %p + %r, 2 * %q + %s] : tensor<1x13x14x14xf32>
    %1 = tkernel.load %weights[%f, %c, %r, %s] : tensor<259x13x2x2xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
    tkernel.store %2, 0[%n, %f, %p, %q] : f32
  }
  return %y : tensor<1x259x9223372036854775807x9223372036854775807xf32>
}

func.func @fetched(%x: tensor<256x14x14xf32>) -> tensor<512x9223372036854775807x9223372036854775807xf32> {
  %w = tgraph.constant dense<0.5> : tensor<512x256xf32>
  %y = tkernel.kernel @fetched (%f : 512, %p : 9223372036854775807, %q : 9223372036854775807, %c : 256) reads(%in = %x : tensor<256x14x14xf32>, %weights = %w : tensor<512x256xf32>) -> tensor<512x9223372036854775807x9223372036854775807xf32> {
    %0 = tkernel.load %in[%c, %p * 2, %q * 2] : tensor<256x14x14xf32>
    %1 = tkernel.load %weights[%f, %c] : tensor<512x256xf32>
    %2 = tkernel.contract %0, %1 over (%c) : f32
    tkernel.store %2, 0[%f, %p, %q] : f32
  }
  return %y : tensor<512x9223372036854775807x9223372036854775807xf32>
}
