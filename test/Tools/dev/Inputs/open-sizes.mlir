module {
  func.func @main(%arg0: tensor<12x64xf32, #tview.sizes<[S, 64]>>) -> tensor<12x64xf32, #tview.sizes<[S, 64]>> attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 12, step = 1>}} {
    %0 = tkernel.kernel @exp (%i : S <= 12, %j : 64) reads(%arg1 = %arg0 : tensor<12x64xf32, #tview.sizes<[S, 64]>>) -> tensor<12x64xf32, #tview.sizes<[S, 64]>> {
      %1 = tkernel.load %arg1[%i, %j] : tensor<12x64xf32, #tview.sizes<[S, 64]>>
      %2 = math.exp %1 : f32
      tkernel.store %2, 0[%i, %j] : f32
    }
    return %0 : tensor<12x64xf32, #tview.sizes<[S, 64]>>
  }
}

