// Rows of which there may be none, split into heads.
func.func @main(%q: tensor<3x33x64xf32, #tview.sizes<[B, S, 64]>>) -> tensor<3x4x33x16xf32, #tview.sizes<[B, 4, S, 16]>> attributes {tgraph.symbols = {B = #tgraph.symbol<min = 0, max = 3, step = 1>, S = #tgraph.symbol<min = 20, max = 33, step = 1>}} {
  %y = tkernel.kernel (%i : B <= 3, %j : 4, %k : S <= 33, %l : 16) reads(%in = %q : tensor<3x33x64xf32, #tview.sizes<[B, S, 64]>>) -> tensor<3x4x33x16xf32, #tview.sizes<[B, 4, S, 16]>> {
    %0 = tkernel.load %in[%i, %k, %j * 16 + %l] : tensor<3x33x64xf32, #tview.sizes<[B, S, 64]>>
    tkernel.store %0, 0[%i, %j, %k, %l] : f32
  }
  return %y : tensor<3x4x33x16xf32, #tview.sizes<[B, 4, S, 16]>>
}
