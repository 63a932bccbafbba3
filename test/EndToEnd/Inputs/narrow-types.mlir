// Conversions to, from and between bf16 and f16.
func.func @main(%x: tensor<21xf32>, %d: tensor<11xf64>, %i: tensor<9xi32>) -> (tensor<21xbf16>, tensor<21xf16>, tensor<21xf32>, tensor<21xf32>, tensor<21xf16>, tensor<21xbf16>, tensor<11xbf16>, tensor<11xf16>, tensor<21xi8>, tensor<21xi1>, tensor<9xbf16>, tensor<9xf16>, tensor<5xbf16>, tensor<21xf64>) {
  %bf16 = tgraph.cast %x : tensor<21xf32> to tensor<21xbf16>
  %f16 = tgraph.cast %x : tensor<21xf32> to tensor<21xf16>
  %wide_bf16 = tgraph.cast %bf16 : tensor<21xbf16> to tensor<21xf32>
  %wide_f16 = tgraph.cast %f16 : tensor<21xf16> to tensor<21xf32>
  %between = tgraph.cast %bf16 : tensor<21xbf16> to tensor<21xf16>
  %across = tgraph.cast %f16 : tensor<21xf16> to tensor<21xbf16>
  %d_bf16 = tgraph.cast %d : tensor<11xf64> to tensor<11xbf16>
  %d_f16 = tgraph.cast %d : tensor<11xf64> to tensor<11xf16>
  %i8 = tgraph.cast %bf16 : tensor<21xbf16> to tensor<21xi8>
  %i1 = tgraph.cast %f16 : tensor<21xf16> to tensor<21xi1>
  %i_bf16 = tgraph.cast %i : tensor<9xi32> to tensor<9xbf16>
  %i_f16 = tgraph.cast %i : tensor<9xi32> to tensor<9xf16>
  %iota = tgraph.iota dim 0 : tensor<5xbf16>
  %double = tgraph.cast %f16 : tensor<21xf16> to tensor<21xf64>
  return %bf16, %f16, %wide_bf16, %wide_f16, %between, %across, %d_bf16, %d_f16, %i8, %i1, %i_bf16, %i_f16, %iota, %double : tensor<21xbf16>, tensor<21xf16>, tensor<21xf32>, tensor<21xf32>, tensor<21xf16>, tensor<21xbf16>, tensor<11xbf16>, tensor<11xf16>, tensor<21xi8>, tensor<21xi1>, tensor<9xbf16>, tensor<9xf16>, tensor<5xbf16>, tensor<21xf64>
}
