// Two sums by weight, and a report.
func.func @main(%amounts: tensor<4x8xf32>, %weights: tensor<8x2xf32>, %bonus: tensor<2x3xf32>) {
  %0 = ledger.weighted_sum %amounts by %weights : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  ledger.print "sums" %0 : tensor<4x2xf32>
  %1 = ledger.weighted_sum %0 by %bonus : tensor<4x2xf32>, tensor<2x3xf32> -> tensor<4x3xf32>
  ledger.print "with bonus" %1 : tensor<4x3xf32>
  return
}
