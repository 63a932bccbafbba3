print('func.func @main(%h0: tensor<512x64xf32> {tgraph.name = "x"}, %w: tensor<64x64xf32> {tgraph.name = "w"}) -> (tensor<f32> {tgraph.name = "loss"}) {')
for i in range(8):
    print(f'%m{i} = tgraph.contract "mk,kn->mn" %h{i}, %w : tensor<512x64xf32>, tensor<64x64xf32> -> tensor<512x64xf32>')
    print(f'%h{i + 1} = tgraph.tanh %m{i} : tensor<512x64xf32>')
print('%s = tgraph.mul %h8, %h8 : tensor<512x64xf32>')
print('%r = tgraph.reduce add %s dims [0, 1] : tensor<512x64xf32> -> tensor<f32>')
print('return %r : tensor<f32>')
print('}')
