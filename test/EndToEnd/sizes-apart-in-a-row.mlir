// Several kernels in a row that become their parts for few points: each search for those begins with nothing known of
// the last one.
// REQUIRES: compiler
// RUN: tensor-run %s --target=host:x86-64-v3 --option=threads=2 --dim=S=0..512 --symbol=S=3 --compare=interpreter --quiet --no-cache
// RUN: tensor-compile %s --target=host:x86-64-v3 --option=threads=2 --to=schedule | FileCheck %s
// CHECK-COUNT-2: apart = @
func.func @main(%q: tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>> {tgraph.name = "q"}, %k: tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>> {tgraph.name = "k"}, %v: tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>> {tgraph.name = "v"}) -> (tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>> {tgraph.name = "y"}) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 512, step = 1>}} {
  %as = tgraph.contract "bhid,bhjd->bhij" %q, %k : tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>>, tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>> -> tensor<8x12x?x?xf32, #tgraph.dims<[8, 12, S, S]>>
  %ap = tgraph.softmax %as dim 3 : tensor<8x12x?x?xf32, #tgraph.dims<[8, 12, S, S]>>
  %ay = tgraph.contract "bhij,bhjd->bhid" %ap, %v : tensor<8x12x?x?xf32, #tgraph.dims<[8, 12, S, S]>>, tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>> -> tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>>
  %r1 = tgraph.add %ay, %q : tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>>
  %bs = tgraph.contract "bhid,bhjd->bhij" %r1, %k : tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>>, tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>> -> tensor<8x12x?x?xf32, #tgraph.dims<[8, 12, S, S]>>
  %bp = tgraph.softmax %bs dim 3 : tensor<8x12x?x?xf32, #tgraph.dims<[8, 12, S, S]>>
  %by = tgraph.contract "bhij,bhjd->bhid" %bp, %ay : tensor<8x12x?x?xf32, #tgraph.dims<[8, 12, S, S]>>, tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>> -> tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>>
  %r2 = tgraph.add %by, %r1 : tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>>
  %cs = tgraph.contract "bhid,bhjd->bhij" %r2, %r2 : tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>>, tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>> -> tensor<8x12x?x?xf32, #tgraph.dims<[8, 12, S, S]>>
  %cp = tgraph.softmax %cs dim 3 : tensor<8x12x?x?xf32, #tgraph.dims<[8, 12, S, S]>>
  %cy = tgraph.contract "bhij,bhjd->bhid" %cp, %r2 : tensor<8x12x?x?xf32, #tgraph.dims<[8, 12, S, S]>>, tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>> -> tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>>
  %r3 = tgraph.add %cy, %ay : tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>>
  %r4 = tgraph.add %r3, %r1 : tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>>
  return %r4 : tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>>
}
