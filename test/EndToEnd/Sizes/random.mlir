// Random numbers of tensors whose sizes a call settles are those of the size. Mapped to integers, of which none depends on rounding.
func.func @main(%x: tensor<?x3x?xf32, #tgraph.dims<[A, 3, B]>> {tgraph.name = "x"})
    -> (tensor<?x3x?xi32, #tgraph.dims<[A, 3, B]>> {tgraph.name = "y"}) attributes {
    tgraph.symbols = {A = #tgraph.symbol<min = 0, max = 40, step = 1>, B = #tgraph.symbol<min = 0, max = 33, step = 1>}} {
  %key = tgraph.constant dense<7> : tensor<ui64>
  %at = tgraph.constant dense<4294967290> : tensor<ui64>
  %bits = tgraph.random bits %key, %at : tensor<ui64> -> tensor<?x3x?xui32, #tgraph.dims<[A, 3, B]>>
  %eight = tgraph.constant dense<28> : tensor<1x1x1xui32>
  %by = tgraph.expand %eight : tensor<1x1x1xui32> -> tensor<?x3x?xui32, #tgraph.dims<[A, 3, B]>>
  %high = tgraph.shr %bits, %by : tensor<?x3x?xui32, #tgraph.dims<[A, 3, B]>>
  %y = tgraph.cast %high : tensor<?x3x?xui32, #tgraph.dims<[A, 3, B]>> to tensor<?x3x?xi32, #tgraph.dims<[A, 3, B]>>
  return %y : tensor<?x3x?xi32, #tgraph.dims<[A, 3, B]>>
}
