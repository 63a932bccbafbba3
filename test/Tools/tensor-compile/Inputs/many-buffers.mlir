func.func @main(%a0: tensor<8xf32>, %a1: tensor<8xf32>, %a2: tensor<8xf32>, %a3: tensor<8xf32>, %a4: tensor<8xf32>, %a5: tensor<8xf32>, %a6: tensor<8xf32>, %a7: tensor<8xf32>, %a8: tensor<8xf32>, %a9: tensor<8xf32>, %a10: tensor<8xf32>, %a11: tensor<8xf32>, %a12: tensor<8xf32>, %a13: tensor<8xf32>, %a14: tensor<8xf32>, %a15: tensor<8xf32>, %a16: tensor<8xf32>, %a17: tensor<8xf32>, %a18: tensor<8xf32>, %a19: tensor<8xf32>) -> (tensor<8xf32> {tgraph.name = "y"}) {
  %s1 = tgraph.add %a0, %a1 : tensor<8xf32>
  %s2 = tgraph.add %s1, %a2 : tensor<8xf32>
  %s3 = tgraph.add %s2, %a3 : tensor<8xf32>
  %s4 = tgraph.add %s3, %a4 : tensor<8xf32>
  %s5 = tgraph.add %s4, %a5 : tensor<8xf32>
  %s6 = tgraph.add %s5, %a6 : tensor<8xf32>
  %s7 = tgraph.add %s6, %a7 : tensor<8xf32>
  %s8 = tgraph.add %s7, %a8 : tensor<8xf32>
  %s9 = tgraph.add %s8, %a9 : tensor<8xf32>
  %s10 = tgraph.add %s9, %a10 : tensor<8xf32>
  %s11 = tgraph.add %s10, %a11 : tensor<8xf32>
  %s12 = tgraph.add %s11, %a12 : tensor<8xf32>
  %s13 = tgraph.add %s12, %a13 : tensor<8xf32>
  %s14 = tgraph.add %s13, %a14 : tensor<8xf32>
  %s15 = tgraph.add %s14, %a15 : tensor<8xf32>
  %s16 = tgraph.add %s15, %a16 : tensor<8xf32>
  %s17 = tgraph.add %s16, %a17 : tensor<8xf32>
  %s18 = tgraph.add %s17, %a18 : tensor<8xf32>
  %s19 = tgraph.add %s18, %a19 : tensor<8xf32>
  return %s19 : tensor<8xf32>
}
