func.func @main(%a: tensor<6x64x128xbf16>, %b: tensor<6x128x31xbf16>) -> (tensor<6x64x31xbf16> {tgraph.name = "c"}) {
  %0 = tgraph.contract "bik,bkj->bij" %a, %b : tensor<6x64x128xbf16>, tensor<6x128x31xbf16> -> tensor<6x64x31xbf16>
  return %0 : tensor<6x64x31xbf16>
}
