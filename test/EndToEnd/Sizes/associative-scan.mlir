func.func @main(%a: tensor<5x?xf32, #tgraph.dims<[5, S]>> {tgraph.name = "a"}) -> (tensor<5x?xf32, #tgraph.dims<[5, S]>> {tgraph.name = "y"}, tensor<5x?xf32, #tgraph.dims<[5, S]>> {tgraph.name = "z"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 70, step = 1>}} {
  %t = tgraph.tanh %a : tensor<5x?xf32, #tgraph.dims<[5, S]>>
  %y:2 = tgraph.associative_scan %t, %a dim 1 reverse : tensor<5x?xf32, #tgraph.dims<[5, S]>>, tensor<5x?xf32, #tgraph.dims<[5, S]>> {
  ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<f32>, %b1: tensor<f32>):
    %p = tgraph.mul %a1, %a0 : tensor<f32>
    %q = tgraph.mul %a1, %b0 : tensor<f32>
    %s = tgraph.add %q, %b1 : tensor<f32>
    tgraph.yield %p, %s : tensor<f32>, tensor<f32>
  }
  %z:2 = tgraph.associative_scan %t, %a dim 0 : tensor<5x?xf32, #tgraph.dims<[5, S]>>, tensor<5x?xf32, #tgraph.dims<[5, S]>> {
  ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<f32>, %b1: tensor<f32>):
    %p = tgraph.mul %a1, %a0 : tensor<f32>
    %q = tgraph.mul %a1, %b0 : tensor<f32>
    %s = tgraph.add %q, %b1 : tensor<f32>
    tgraph.yield %p, %s : tensor<f32>, tensor<f32>
  }
  return %y#1, %z#1 : tensor<5x?xf32, #tgraph.dims<[5, S]>>, tensor<5x?xf32, #tgraph.dims<[5, S]>>
}
