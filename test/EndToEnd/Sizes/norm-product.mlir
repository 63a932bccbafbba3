// The end of a vision transformer: a product and a residual sum, their norm, and a product, in one kernel. Rows in blocks of all that there may be leave a loop of one
// iteration, whose rest is switched over.
func.func @main(%x: tensor<?x384xf32, #tgraph.dims<[B, 384]>> {tgraph.name = "x"}, %r: tensor<?x96xf32, #tgraph.dims<[B, 96]>> {tgraph.name = "r"}, %w: tensor<384x96xf32> {tgraph.name = "w"}, %g: tensor<96xf32> {tgraph.name = "g"}, %v: tensor<96x200xf32> {tgraph.name = "v"})
    -> (tensor<?x200xf32, #tgraph.dims<[B, 200]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 16, step = 1>}} {
  %0 = tgraph.contract "mk,kn->mn" %x, %w : tensor<?x384xf32, #tgraph.dims<[B, 384]>>, tensor<384x96xf32> -> tensor<?x96xf32, #tgraph.dims<[B, 96]>>
  %1 = tgraph.add %0, %r : tensor<?x96xf32, #tgraph.dims<[B, 96]>>
  %2 = tgraph.layer_norm %1 scale %g : tensor<96xf32> bias %g : tensor<96xf32> dims [1] eps 1.0e-05 : tensor<?x96xf32, #tgraph.dims<[B, 96]>>
  %3 = tgraph.contract "mk,kn->mn" %2, %v : tensor<?x96xf32, #tgraph.dims<[B, 96]>>, tensor<96x200xf32> -> tensor<?x200xf32, #tgraph.dims<[B, 200]>>
  return %3 : tensor<?x200xf32, #tgraph.dims<[B, 200]>>
}
