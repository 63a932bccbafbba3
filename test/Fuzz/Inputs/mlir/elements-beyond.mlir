func.func @chain(%x: tensor<6x4xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %0 = tgraph.neg %x : tensor<6x4xf32>
  %1 = tgraph.permute %0 [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %2 = tgraph.reshape %b : tensor<6xf32> -> tensor<1x6xf32>
  %3 = tgraph.expand %2 : tensor<1x6xf32> -> tensor<4x6xf32>
  %4 = tgraph.add %1, %3 : tensor<4x6xf32>
  %5 = tgraph.exp %4 : tensor<4x6xf32>
  return %5 : tensor<4x6xf32>
}

func.func @gemm(%x: tensor<4x16xf32>, %w: tensor<16x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = tgraph.contract "mk,kn->mn" %x, %w : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  %1 = tgraph.reshape %b : tensor<8xf32> -> tensor<1x8xf32>
  %2 = tgraph.expand %1 : tensor<1x8xf32> -> tensor<4x8xf32>
  %3 = tgraph.add %0, %2 : tensor<4x8xf32>
  %4 = tgraph.relu %3 : tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

func.func @block(%x: tensor<1x3x8x8xf32>, %w: tensor<3x3x3x3xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>,
    %mean: tensor<3xf32>, %var: tensor<3xf32>) -> tensor<1x3x4x4xf32> {
  %0 = tgraph.conv %x, %w strides [1, 1] dilations [1, 1] pad_low [1, 1] pad_high [1, 1] groups 1
      : tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32> -> tensor<1x3x8x8xf32>
  %1 = tgraph.batch_norm %0, %s, %b, %mean, %var eps 1.0e-5 : tensor<1x3x8x8xf32>, tensor<3xf32>
  %2 = tgraph.add %1, %x : tensor<1x3x8x8xf32>
  %3 = tgraph.relu %2 : tensor<1x3x8x8xf32>
  %4 = tgraph.window max %3 window [1, 1, 3, 3] strides [1, 1, 2, 2] dilations [1, 1, 1, 1]
      pad_low [0, 0, 1, 1] pad_high [0, 0, 0, 0] : tensor<1x3x8x8xf32> -> tensor<1x3x4x4xf32>
  return %4 : tensor<1x3x4x4xf32>
}

func.func @padded_conv(%x: tensor<1x2x8xf32>, %w: tensor<3x2x3xf32>) -> tensor<1x3x10xf32> {
  %0 = tgraph.pad %x low [0, 0, 1] high [0, 0, 1] value 1.0 : f32 : tensor<1x2x8xf32> -> tensor<1x2x10xf32>
  %1 = tgraph.conv %0, %w strides [1] dilations [1] pad_low [1] pad_high [1] groups 1
      : tensor<1x2x10xf32>, tensor<3x2x3xf32> -> tensor<1x3x10xf32>
  return %1 : tensor<1x3x10xf32>
}

func.func @into_reductions(%x: tensor<4x8xf32>, %w: tensor<8x3xi32>) -> (tensor<4xf32>, tensor<4x3xf32>) {
  %0 = tgraph.exp %x : tensor<4x8xf32>
  %1 = tgraph.reduce add %0 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %2 = tgraph.exp %x : tensor<4x8xf32>
  %3 = tgraph.cast %w : tensor<8x3xi32> to tensor<8x3xf32>
  %4 = tgraph.contract "mk,kn->mn" %2, %3 : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  return %1, %4 : tensor<4xf32>, tensor<4x3xf32>
}

func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tgraph.softmax %x dim 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

func.func @layer_norm(%x: tensor<2x4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %0 = tgraph.layer_norm %x scale %s : tensor<8xf32> bias %b : tensor<8xf32> dims [2] eps 1.0e-5 : tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

func.func @gelu(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = tgraph.contract "mk,kn->mn" %x, %w : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %1 = tgraph.gelu erf %0 : tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

func.func @heads(%p: tensor<2x3x9223372036854775807x1xf32>, %v: tensor<2x3x1x4xf32>) -> tensor<2x9223372036854775807x12xf32> {
  %0 = tgraph.contract "bhmk,bhkn->bhmn" %p, %v : tensor<2x3x9223372036854775807x1xf32>, tensor<2x3x1x4xf32> -> tensor<2x3x9223372036854775807x4xf32>
  %1 = tgraph.permute %0 [0, 2, 1, 3] : tensor<2x3x9223372036854775807x4xf32> -> tensor<2x9223372036854775807x3x4xf32>
  %2 = tgraph.reshape %1 : tensor<2x9223372036854775807x3x4xf32> -> tensor<2x9223372036854775807x12xf32>
  return %2 : tensor<2x9223372036854775807x12xf32>
}

func.func @flatten(%x: tensor<1x4x3x3xf32>, %w: tensor<9223372036854775807x36xf32>) -> tensor<1x9223372036854775807xf32> {
  %0 = tgraph.reshape %x : tensor<1x4x3x3xf32> -> tensor<1x36xf32>
  %1 = tgraph.contract "mk,nk->mn" %0, %w : tensor<1x36xf32>, tensor<9223372036854775807x36xf32> -> tensor<1x9223372036854775807xf32>
  return %1 : tensor<1x9223372036854775807xf32>
}

func.func @stored(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %0 = tgraph.reduce max %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = tgraph.exp %0 : tensor<4xf32>
  %2 = tgraph.reshape %0 : tensor<4xf32> -> tensor<4x1xf32>
  %3 = tgraph.expand %2 : tensor<4x1xf32> -> tensor<4x8xf32>
  %4 = tgraph.add %x, %3 : tensor<4x8xf32>
  return %1, %4 : tensor<4xf32>, tensor<4x8xf32>
}

func.func @shared(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tgraph.neg %x : tensor<4xf32>
  %1 = tgraph.exp %0 : tensor<4xf32>
  %2 = tgraph.sin %0 : tensor<4xf32>
  %3 = tgraph.tanh %x : tensor<4xf32>
  %4 = tgraph.tan %3 : tensor<4xf32>
  %5 = tgraph.exp %4 : tensor<4xf32>
  %6 = tgraph.sin %4 : tensor<4xf32>
  return %1, %2, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @materialize(%x: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %0 = tgraph.permute %x [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
  %1 = tview.materialize %0 : tensor<4x2xf32>
  %2 = tgraph.neg %1 : tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

func.func @embedding(%t: tensor<9x4xf32>, %i: tensor<3xi64>, %p: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = tgraph.gather %t, %i {axis = 0 : i64} : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  %1 = tgraph.add %0, %p : tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

func.func @bindings(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>,
    %e: tensor<4xf32>, %f: tensor<4xf32>, %g: tensor<4xf32>, %h: tensor<4xf32>, %i: tensor<4xf32>,
    %j: tensor<4xf32>, %k: tensor<4xf32>, %l: tensor<4xf32>, %m: tensor<4xf32>, %n: tensor<4xf32>,
    %o: tensor<4xf32>, %p: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tgraph.add %a, %b : tensor<4xf32>
  %1 = tgraph.add %0, %c : tensor<4xf32>
  %2 = tgraph.add %1, %d : tensor<4xf32>
  %3 = tgraph.add %2, %e : tensor<4xf32>
  %4 = tgraph.add %3, %f : tensor<4xf32>
  %5 = tgraph.add %4, %g : tensor<4xf32>
  %6 = tgraph.add %5, %h : tensor<4xf32>
  %7 = tgraph.add %6, %i : tensor<4xf32>
  %8 = tgraph.add %7, %j : tensor<4xf32>
  %9 = tgraph.add %8, %k : tensor<4xf32>
  %10 = tgraph.add %9, %l : tensor<4xf32>
  %11 = tgraph.add %10, %m : tensor<4xf32>
  %12 = tgraph.add %11, %n : tensor<4xf32>
  %13 = tgraph.add %12, %o : tensor<4xf32>
  %14 = tgraph.add %13, %p : tensor<4xf32>
  return %14 : tensor<4xf32>
}

func.func @unit_scan(%x: tensor<1xi8>) -> tensor<1xi8> {
  %0 = tgraph.scan min %x dim 0 {exclusive} : tensor<1xi8>
  %1 = tgraph.scan max %0 dim 0 : tensor<1xi8>
  return %1 : tensor<1xi8>
}

func.func @repeated(%x: tensor<64x7xf32>) -> tensor<16x64xf32> {
  %0 = tgraph.reshape %x : tensor<64x7xf32> -> tensor<1x64x7xf32>
  %1 = tgraph.expand %0 : tensor<1x64x7xf32> -> tensor<16x64x7xf32>
  %2 = tgraph.exp %1 : tensor<16x64x7xf32>
  %3 = tgraph.reduce add %2 dims [2] : tensor<16x64x7xf32> -> tensor<16x64xf32>
  return %3 : tensor<16x64xf32>
}

func.func @scattered_scans(%x: tensor<9xf32>, %u: tensor<4x6xf32>, %i: tensor<4x6xi64>) -> (tensor<9xf32>, tensor<9xf32>) {
  %0 = tgraph.scan add %u dim 0 : tensor<4x6xf32>
  %1 = tgraph.scatter add %x, %0 at %i {axis = 0 : i64} : tensor<9xf32>, tensor<4x6xf32> at tensor<4x6xi64> -> tensor<9xf32>
  %2 = tgraph.scan add %u dim 1 : tensor<4x6xf32>
  %3 = tgraph.scatter add %x, %2 at %i {axis = 0 : i64} : tensor<9xf32>, tensor<4x6xf32> at tensor<4x6xi64> -> tensor<9xf32>
  return %1, %3 : tensor<9xf32>, tensor<9xf32>
}

func.func @scattered_product(%x: tensor<9x8xf32>, %u: tensor<6x9223372036854775807xf32>, %w: tensor<9223372036854775807x8xf32>, %i: tensor<6xi64>) -> tensor<9x8xf32> {
  %0 = tgraph.contract "ab,bc->ac" %u, %w : tensor<6x9223372036854775807xf32>, tensor<9223372036854775807x8xf32> -> tensor<6x8xf32>
  %1 = tgraph.scatter add %x, %0 at %i {axis = 0 : i64} : tensor<9x8xf32>, tensor<6x8xf32> at tensor<6xi64> -> tensor<9x8xf32>
  return %1 : tensor<9x8xf32>
}
