// fuzz: tensor-opt --interpret=integers=true
ttile.func @main() results(%y: memref<4294967296xi64>) grid(%i = 2) {
  %v = ttile.index affine_map<(d0, d1) -> (d0 + 4 * d1)>(%i) : tensor<4xindex>
  %w = arith.index_cast %v : tensor<4xindex> to tensor<4xi64>
  ttile.store %w, %y through #tview.map<affine_map<(d0, d1) -> (d0 + 4 * d1 + 1)>, [(d0, d1) : (2 - d0 - 4 * d1 ge 0) else 0 : i64]>(%i) : tensor<4xi64> -> memref<4294967296xi64>
  %n = arith.constant dense<9> : tensor<1xi64>
  ttile.store %n, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 100)>>(%i) : tensor<1xi64> -> memref<4294967296xi64>
  ttile.return
}
