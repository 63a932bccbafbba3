// RUN: rm -rf %t && split-file %s %t
// RUN: tensor-run %t/exp.mlir --target=host:x86-64-v3 --dim=P=1..300 --dim=S=0..8 --symbol=P=33 --symbol=S=0 --no-cache --compare=interpreter | FileCheck %s
// RUN: tensor-run %t/exp.mlir --target=host:x86-64-v3 --dim=P=1..300 --dim=S=0..8 --symbol=P=33 --symbol=S=7 --no-cache --compare=interpreter --quiet
// RUN: tensor-run %t/concat.mlir --target=host:x86-64-v3 --dim=P=1..300 --dim=S=0..2 --symbol=P=33 --symbol=S=0 --no-cache --compare=interpreter | FileCheck %s
// RUN: tensor-run %t/concat.mlir --target=host:x86-64-v3 --dim=P=1..300 --dim=S=0..2 --symbol=P=33 --symbol=S=2 --no-cache --compare=interpreter --quiet

// A result that has elements is stored where one that is computed of it has none.
// CHECK: compare  present with interpreter: {{.*}}: ok
// CHECK: compare  scores with interpreter: max error 0 {{.*}}: ok

//--- exp.mlir
func.func @main(%q: tensor<?x16xf32, #tgraph.dims<[S, 16]>> {tgraph.name = "q"}, %past: tensor<?x16xf32, #tgraph.dims<[P, 16]>> {tgraph.name = "past"}) -> (tensor<?x16xf32, #tgraph.dims<[P, 16]>> {tgraph.name = "present"}, tensor<?x?xf32, #tgraph.dims<[S, P]>> {tgraph.name = "scores"}) attributes {tgraph.symbols = {P = #tgraph.symbol<min = 1, max = 300, step = 1>, S = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
  %0 = tgraph.exp %past : tensor<?x16xf32, #tgraph.dims<[P, 16]>>
  %1 = tgraph.contract "mk,nk->mn" %q, %0 : tensor<?x16xf32, #tgraph.dims<[S, 16]>>, tensor<?x16xf32, #tgraph.dims<[P, 16]>> -> tensor<?x?xf32, #tgraph.dims<[S, P]>>
  return %0, %1 : tensor<?x16xf32, #tgraph.dims<[P, 16]>>, tensor<?x?xf32, #tgraph.dims<[S, P]>>
}

//--- concat.mlir
func.func @main(%a0: tensor<2x?x20xf32, #tgraph.dims<[2, P, 20]>> {tgraph.name = "a0"}, %a1: tensor<2x?x20xf32, #tgraph.dims<[2, S, 20]>> {tgraph.name = "a1"}, %a2: tensor<2x?x20xf32, #tgraph.dims<[2, S, 20]>> {tgraph.name = "a2"}) -> (tensor<2x?x20xf32, #tgraph.dims<[2, P + S, 20]>> {tgraph.name = "present"}, tensor<2x?x?xf32, #tgraph.dims<[2, S, P + S]>> {tgraph.name = "scores"}) attributes {tgraph.symbols = {P = #tgraph.symbol<min = 1, max = 300, step = 1>, S = #tgraph.symbol<min = 0, max = 2, step = 1>}} {
  %0 = tgraph.concat %a0, %a1 dim 1 : tensor<2x?x20xf32, #tgraph.dims<[2, P, 20]>>, tensor<2x?x20xf32, #tgraph.dims<[2, S, 20]>> -> tensor<2x?x20xf32, #tgraph.dims<[2, P + S, 20]>>
  %1 = tgraph.contract "hmd,hjd->hmj" %a2, %0 : tensor<2x?x20xf32, #tgraph.dims<[2, S, 20]>>, tensor<2x?x20xf32, #tgraph.dims<[2, P + S, 20]>> -> tensor<2x?x?xf32, #tgraph.dims<[2, S, P + S]>>
  return %0, %1 : tensor<2x?x20xf32, #tgraph.dims<[2, P + S, 20]>>, tensor<2x?x?xf32, #tgraph.dims<[2, S, P + S]>>
}
