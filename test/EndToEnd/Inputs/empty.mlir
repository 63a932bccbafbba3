// Tensors without elements, and what comes of none of them: results as arguments give them, neutral elements, padding,
// what stands beside them.
func.func @main(%x: tensor<0x3xf32>, %n: tensor<1x2x0x3xf32>, %p: tensor<4x0xf32>, %q: tensor<0x5xf32>, %f: tensor<2x3xf32>,
                %i: tensor<0xi64>)
    -> (tensor<0x3xf32> {tgraph.name = "same"}, tensor<0x3xf32> {tgraph.name = "y"}, tensor<3xf32> {tgraph.name = "sum"},
        tensor<1x2xf32> {tgraph.name = "product"}, tensor<1x2xf32> {tgraph.name = "largest"},
        tensor<1x2x0x3xf32> {tgraph.name = "normalized"}, tensor<4x5xf32> {tgraph.name = "contracted"},
        tensor<4x5xf32> {tgraph.name = "used"}, tensor<2x3xf32> {tgraph.name = "joined"},
        tensor<2x3xf32> {tgraph.name = "padded"}, tensor<0x3xf32> {tgraph.name = "gathered"},
        tensor<1x0xf32> {tgraph.name = "nothing"}, tensor<100000xf32> {tgraph.name = "long"},
        tensor<0xi64> {tgraph.name = "positions"}) {
  %0 = tgraph.abs %x : tensor<0x3xf32>
  %1 = tgraph.reduce add %x dims [0] : tensor<0x3xf32> -> tensor<3xf32>
  %2 = tgraph.reduce mul %n dims [2, 3] : tensor<1x2x0x3xf32> -> tensor<1x2xf32>
  %3 = tgraph.reduce max %n dims [2, 3] : tensor<1x2x0x3xf32> -> tensor<1x2xf32>
  %4 = tgraph.reduce add %n dims [2, 3] : tensor<1x2x0x3xf32> -> tensor<1x2xf32>
  %5 = tgraph.reshape %4 : tensor<1x2xf32> -> tensor<1x2x1x1xf32>
  %6 = tgraph.expand %5 : tensor<1x2x1x1xf32> -> tensor<1x2x0x3xf32>
  %7 = tgraph.sub %n, %6 : tensor<1x2x0x3xf32>
  %8 = tgraph.contract "mk,kn->mn" %p, %q : tensor<4x0xf32>, tensor<0x5xf32> -> tensor<4x5xf32>
  %c = tgraph.constant dense<1.5> : tensor<4x5xf32>
  %9 = tgraph.sub %c, %8 : tensor<4x5xf32>
  %10 = tgraph.concat %f, %x dim 0 : tensor<2x3xf32>, tensor<0x3xf32> -> tensor<2x3xf32>
  %11 = tgraph.pad %x low [2, 0] high [0, 0] value 7.0 : f32 : tensor<0x3xf32> -> tensor<2x3xf32>
  %12 = tgraph.gather %f, %i {axis = 0 : i64} : tensor<2x3xf32>, tensor<0xi64> -> tensor<0x3xf32>
  %13 = tgraph.reduce add %n dims [1, 3] : tensor<1x2x0x3xf32> -> tensor<1x0xf32>
  %z = tgraph.constant dense<> : tensor<0x100000xf32>
  %14 = tgraph.reduce add %z dims [0] : tensor<0x100000xf32> -> tensor<100000xf32>
  %15 = tgraph.arg_reduce max %q dim 1 : tensor<0x5xf32> -> tensor<0xi64>
  return %x, %0, %1, %2, %3, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tensor<0x3xf32>, tensor<0x3xf32>, tensor<3xf32>,
      tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2x0x3xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<2x3xf32>,
      tensor<2x3xf32>, tensor<0x3xf32>, tensor<1x0xf32>, tensor<100000xf32>, tensor<0xi64>
}
