// Programs that test/Target/Host/ProgramTest.cpp runs on the host target and the interpreter.
func.func @linear(%x: tensor<30x45xf32>, %w: tensor<45x50xf32>, %b: tensor<1x50xf32>) -> tensor<30x50xf32> {
  %m = tgraph.contract "mk,kn->mn" %x, %w : tensor<30x45xf32>, tensor<45x50xf32> -> tensor<30x50xf32>
  %e = tgraph.expand %b : tensor<1x50xf32> -> tensor<30x50xf32>
  %a = tgraph.add %m, %e : tensor<30x50xf32>
  %r = tgraph.relu %a : tensor<30x50xf32>
  return %r : tensor<30x50xf32>
}

// -----

func.func @contractions(%a: tensor<2x3x4xf64>, %b: tensor<2x4x5xf64>, %i: tensor<3xi32>, %j: tensor<2xi32>) -> (tensor<2x3x5xf64>, tensor<3xf64>, tensor<2x3xi32>, tensor<i32>) {
  %0 = tgraph.contract "bmk,bkn->bmn" %a, %b : tensor<2x3x4xf64>, tensor<2x4x5xf64> -> tensor<2x3x5xf64>
  %1 = tgraph.contract "bmk,bkn->m" %a, %b : tensor<2x3x4xf64>, tensor<2x4x5xf64> -> tensor<3xf64>
  %2 = tgraph.contract "i,j->ji" %i, %j : tensor<3xi32>, tensor<2xi32> -> tensor<2x3xi32>
  %3 = tgraph.contract "i,j->" %i, %j : tensor<3xi32>, tensor<2xi32> -> tensor<i32>
  return %0, %1, %2, %3 : tensor<2x3x5xf64>, tensor<3xf64>, tensor<2x3xi32>, tensor<i32>
}

// -----

func.func @convolutions(%x: tensor<2x3x19x23xf32>, %w: tensor<20x3x3x3xf32>, %d: tensor<20x1x3x5xf32>) -> tensor<2x20x8x6xf32> {
  %0 = tgraph.conv %x, %w strides [1, 2] dilations [1, 1] pad_low [1, 1] pad_high [1, 1] groups 1 : tensor<2x3x19x23xf32>, tensor<20x3x3x3xf32> -> tensor<2x20x19x12xf32>
  %1 = tgraph.relu %0 : tensor<2x20x19x12xf32>
  %2 = tgraph.conv %1, %d strides [2, 1] dilations [2, 2] pad_low [0, 1] pad_high [0, 1] groups 20 : tensor<2x20x19x12xf32>, tensor<20x1x3x5xf32> -> tensor<2x20x8x6xf32>
  return %2 : tensor<2x20x8x6xf32>
}

// -----

func.func @windows(%x: tensor<1x3x17x21xf32>) -> (tensor<1x3x9x11xf32>, tensor<1x3x16x20xf32>) {
  %0 = tgraph.window max %x window [1, 1, 3, 3] strides [1, 1, 2, 2] dilations [1, 1, 1, 1] pad_low [0, 0, 1, 1] pad_high [0, 0, 1, 1] : tensor<1x3x17x21xf32> -> tensor<1x3x9x11xf32>
  %1 = tgraph.window add %x window [1, 1, 2, 2] strides [1, 1, 1, 1] dilations [1, 1, 1, 1] pad_low [0, 0, 0, 0] pad_high [0, 0, 0, 0] : tensor<1x3x17x21xf32> -> tensor<1x3x16x20xf32>
  return %0, %1 : tensor<1x3x9x11xf32>, tensor<1x3x16x20xf32>
}

// -----

func.func @normalisations(%x: tensor<7x37xf32>, %s: tensor<37xf32>, %b: tensor<37xf32>) -> (tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>) {
  %0 = tgraph.softmax %x dim 1 : tensor<7x37xf32>
  %1 = tgraph.log_softmax %x dim 0 : tensor<7x37xf32>
  %2 = tgraph.layer_norm %x scale %s : tensor<37xf32> bias %b : tensor<37xf32> dims [1] eps 1.0e-05 : tensor<7x37xf32>
  %3 = tgraph.gelu erf %x : tensor<7x37xf32>
  %4 = tgraph.gelu tanh %x : tensor<7x37xf32>
  return %0, %1, %2, %3, %4 : tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>
}

// -----

func.func @reductions(%x: tensor<5x6x33xf32>, %i: tensor<5x40xi32>, %b: tensor<9x18xi1>) -> (tensor<5x6xf32>, tensor<6x33xf32>, tensor<f32>, tensor<5xi32>, tensor<40xi32>, tensor<9xi1>, tensor<18xi1>, tensor<5x33xf32>) {
  %0 = tgraph.reduce add %x dims [2] : tensor<5x6x33xf32> -> tensor<5x6xf32>
  %1 = tgraph.reduce max %x dims [0] : tensor<5x6x33xf32> -> tensor<6x33xf32>
  %2 = tgraph.reduce min %x dims [0, 1, 2] : tensor<5x6x33xf32> -> tensor<f32>
  %3 = tgraph.reduce mul %i dims [1] : tensor<5x40xi32> -> tensor<5xi32>
  %4 = tgraph.reduce max %i dims [0] : tensor<5x40xi32> -> tensor<40xi32>
  %5 = tgraph.reduce all %b dims [1] : tensor<9x18xi1> -> tensor<9xi1>
  %6 = tgraph.reduce any %b dims [0] : tensor<9x18xi1> -> tensor<18xi1>
  %7 = tgraph.reduce mul %x dims [1] : tensor<5x6x33xf32> -> tensor<5x33xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<5x6xf32>, tensor<6x33xf32>, tensor<f32>, tensor<5xi32>, tensor<40xi32>, tensor<9xi1>, tensor<18xi1>, tensor<5x33xf32>
}

// -----

func.func @indices(%x: tensor<5x37xf32>, %i: tensor<5x37xi32>) -> (tensor<5xi64>, tensor<37xi64>, tensor<5xi64>) {
  %0 = tgraph.arg_reduce max %x dim 1 : tensor<5x37xf32> -> tensor<5xi64>
  %1 = tgraph.arg_reduce min %x dim 0 : tensor<5x37xf32> -> tensor<37xi64>
  %2 = tgraph.arg_reduce max %i dim 1 : tensor<5x37xi32> -> tensor<5xi64>
  return %0, %1, %2 : tensor<5xi64>, tensor<37xi64>, tensor<5xi64>
}

// -----

func.func @scans(%x: tensor<5x21xf32>, %i: tensor<4x18xi64>) -> (tensor<5x21xf32>, tensor<5x21xf32>, tensor<4x18xi64>) {
  %0 = tgraph.scan add %x dim 1 : tensor<5x21xf32>
  %1 = tgraph.scan add %x dim 0 {exclusive, reverse} : tensor<5x21xf32>
  %2 = tgraph.scan max %i dim 1 : tensor<4x18xi64>
  return %0, %1, %2 : tensor<5x21xf32>, tensor<5x21xf32>, tensor<4x18xi64>
}

// -----

func.func @gathers(%x: tensor<8x20xf32>, %y: tensor<2x8x4xf32>, %i: tensor<2x3xi64>, %j: tensor<2x5xi32>) -> (tensor<2x3x20xf32>, tensor<2x3xf32>, tensor<2x5x4xf32>) {
  %0 = tgraph.gather %x, %i {axis = 0 : i64} : tensor<8x20xf32>, tensor<2x3xi64> -> tensor<2x3x20xf32>
  %1 = tgraph.gather %x, %i, %i {axis = 0 : i64} : tensor<8x20xf32>, tensor<2x3xi64>, tensor<2x3xi64> -> tensor<2x3xf32>
  %2 = tgraph.gather %y, %j {axis = 1 : i64, batch_dims = 1 : i64} : tensor<2x8x4xf32>, tensor<2x5xi32> -> tensor<2x5x4xf32>
  return %0, %1, %2 : tensor<2x3x20xf32>, tensor<2x3xf32>, tensor<2x5x4xf32>
}

// -----

func.func @movement(%x: tensor<6x20xf32>, %b: tensor<6x3xf32>, %u: tensor<40xui8>, %m: tensor<33xi1>) -> (tensor<20x6xf32>, tensor<8x15xf32>, tensor<8x23xf32>, tensor<6x23xf32>, tensor<3x10xf32>, tensor<6x20xf32>, tensor<43xui8>, tensor<33xi1>) {
  %0 = tgraph.permute %x [1, 0] : tensor<6x20xf32> -> tensor<20x6xf32>
  %1 = tgraph.reshape %0 : tensor<20x6xf32> -> tensor<8x15xf32>
  %2 = tgraph.pad %x low [0, 1] high [2, 2] value 1.5 : f32 : tensor<6x20xf32> -> tensor<8x23xf32>
  %3 = tgraph.concat %x, %b dim 1 : tensor<6x20xf32>, tensor<6x3xf32> -> tensor<6x23xf32>
  %4 = tgraph.slice %x offsets [0, 1] sizes [3, 10] strides [2, 2] : tensor<6x20xf32> -> tensor<3x10xf32>
  %5 = tgraph.flip %x dims [1] : tensor<6x20xf32>
  %6 = tgraph.pad %u low [1] high [2] value 3 : ui8 : tensor<40xui8> -> tensor<43xui8>
  %7 = tgraph.flip %m dims [0] : tensor<33xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<20x6xf32>, tensor<8x15xf32>, tensor<8x23xf32>, tensor<6x23xf32>, tensor<3x10xf32>, tensor<6x20xf32>, tensor<43xui8>, tensor<33xi1>
}
