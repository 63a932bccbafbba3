// Kernels without a point, and one whose reduction has none.
func.func @main(%x: tensor<1x2x0x3xf32>, %f: tensor<2x3xf32>)
    -> (tensor<2x0x3xf32> {tgraph.name = "doubled"}, tensor<2xf32> {tgraph.name = "sum"}, tensor<2x3xf32> {tgraph.name = "product"}) {
  %0 = tkernel.kernel @double (%u : 1, %i : 2, %j : 0, %k : 3) reads(%a = %x : tensor<1x2x0x3xf32>) -> tensor<2x0x3xf32> {
    %v = tkernel.load %a[%u, %i, %j, %k] : tensor<1x2x0x3xf32>
    %w = arith.addf %v, %v : f32
    tkernel.store %w, 0[%i + %u, %j, %k] : f32
  }
  %1 = tkernel.kernel @sum (%i : 2, %j : 0, %k : 3) reads(%a = %x : tensor<1x2x0x3xf32>) -> tensor<2xf32> {
    %v = tkernel.load %a[0, %i, %j, %k] : tensor<1x2x0x3xf32>
    %s = tkernel.reduce addf %v over (%j, %k) : f32
    tkernel.store %s, 0[%i] : f32
  }
  %2 = tkernel.kernel @product (%i : 2, %j : 3, %k : 0) reads(%a = %x : tensor<1x2x0x3xf32>, %b = %f : tensor<2x3xf32>) -> tensor<2x3xf32> {
    %v = tkernel.load %a[0, %i, %k, %j] : tensor<1x2x0x3xf32>
    %w = tkernel.load %b[%i, %j] : tensor<2x3xf32>
    %c = tkernel.contract %v, %v over (%k) : f32
    %d = arith.addf %c, %w : f32
    tkernel.store %d, 0[%i, %j] : f32
  }
  return %0, %1, %2 : tensor<2x0x3xf32>, tensor<2xf32>, tensor<2x3xf32>
}
