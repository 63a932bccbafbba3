// Keys and values of a call go behind those of earlier calls, where they lie; attention reads all of them. With both
// sizes open, one run after another.
// RUN: tensor-run %s --dim=P=0..60 --dim=S=1..8 --symbol=B=2 --symbol=P=0 --symbol=S=3 --steps=7 --compare=interpreter | FileCheck %s --check-prefix=SAME
// RUN: tensor-run %s --dim=P=0..60 --dim=S=1..8 --symbol=B=1 --symbol=P=17 --symbol=S=1 --steps=40 --compare=interpreter | FileCheck %s --check-prefix=SAME
// RUN: tensor-run %s --dim=P=0..60 --dim=S=1..8 --dim=B=1..3 --symbol=B=3 --symbol=P=1 --symbol=S=8 --steps=3 --compare=interpreter | FileCheck %s --check-prefix=SAME
// SAME-COUNT-3: compare {{.*}}: ok
// RUN: tensor-run %s --dim=P=0..60 --dim=S=1..8 --symbol=B=2 --symbol=P=5 --symbol=S=3 --check-every-kernel | FileCheck %s --check-prefix=KERNELS
// KERNELS: kernels {{[1-9][0-9]*}} launches checked, 0 differ

// Memory does not move from call to call: P is late, and nothing is copied.
// RUN: tensor-compile %s --dim=P=0..60 --dim=S=1..8 --symbol=B=2 -o %t.twm && tensor-translate --describe %t.twm | FileCheck %s --check-prefix=MODULE
// MODULE: symbol P + S: 0..64
// MODULE-NOT: copy

// There is no room for more than 64 rows.
// RUN: not tensor-run %t.twm --symbol=P=57 --symbol=S=8 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: {{.*}}64
func.func @main(%q: tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>> {tgraph.name = "q"}, %k: tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, S, 16]>> {tgraph.name = "k"}, %v: tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, S, 16]>> {tgraph.name = "v"},
    %kc: tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, P, 16]>> {tgraph.name = "past_k", tgraph.alias = 1 : i64, tgraph.storage = #tgraph.dims<[B, 2, 64, 16]>},
    %vc: tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, P, 16]>> {tgraph.name = "past_v", tgraph.alias = 2 : i64, tgraph.storage = #tgraph.dims<[B, 2, 64, 16]>})
    -> (tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>> {tgraph.name = "y"}, tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, P + S, 16]>> {tgraph.name = "present_k"}, tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, P + S, 16]>> {tgraph.name = "present_v"})
    attributes {tgraph.symbols = {B = #tgraph.symbol<min = 1, max = 3, step = 1>, P = #tgraph.symbol<min = 0, max = 60, step = 1>, S = #tgraph.symbol<min = 1, max = 8, step = 1>}} {
  %k1 = tgraph.concat %kc, %k dim 2 : tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, P, 16]>>, tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, S, 16]>> -> tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, P + S, 16]>>
  %v1 = tgraph.concat %vc, %v dim 2 : tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, P, 16]>>, tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, S, 16]>> -> tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, P + S, 16]>>
  %g = tgraph.reshape %q : tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>> -> tensor<?x2x2x?x16xf32, #tgraph.dims<[B, 2, 2, S, 16]>>
  %s = tgraph.contract "bghid,bgjd->bghij" %g, %k1 : tensor<?x2x2x?x16xf32, #tgraph.dims<[B, 2, 2, S, 16]>>, tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, P + S, 16]>> -> tensor<?x2x2x?x?xf32, #tgraph.dims<[B, 2, 2, S, P + S]>>
  %i = tgraph.iota dim 3 : tensor<?x2x2x?x?xi64, #tgraph.dims<[B, 2, 2, S, P + S]>>
  %j = tgraph.iota dim 4 : tensor<?x2x2x?x?xi64, #tgraph.dims<[B, 2, 2, S, P + S]>>
  %p = tgraph.size <[P]> : tensor<i64>
  %p1 = tgraph.reshape %p : tensor<i64> -> tensor<1x1x1x1x1xi64>
  %p2 = tgraph.expand %p1 : tensor<1x1x1x1x1xi64> -> tensor<?x2x2x?x?xi64, #tgraph.dims<[B, 2, 2, S, P + S]>>
  %last = tgraph.add %i, %p2 : tensor<?x2x2x?x?xi64, #tgraph.dims<[B, 2, 2, S, P + S]>>
  %seen = tgraph.compare le, %j, %last : tensor<?x2x2x?x?xi64, #tgraph.dims<[B, 2, 2, S, P + S]>>
  %minus = tgraph.constant dense<0xFF800000> : tensor<1x1x1x1x1xf32>
  %m = tgraph.expand %minus : tensor<1x1x1x1x1xf32> -> tensor<?x2x2x?x?xf32, #tgraph.dims<[B, 2, 2, S, P + S]>>
  %masked = tgraph.select %seen, %s, %m : tensor<?x2x2x?x?xf32, #tgraph.dims<[B, 2, 2, S, P + S]>>
  %w = tgraph.softmax %masked dim 4 : tensor<?x2x2x?x?xf32, #tgraph.dims<[B, 2, 2, S, P + S]>>
  %o = tgraph.contract "bghij,bgjd->bghid" %w, %v1 : tensor<?x2x2x?x?xf32, #tgraph.dims<[B, 2, 2, S, P + S]>>, tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, P + S, 16]>> -> tensor<?x2x2x?x16xf32, #tgraph.dims<[B, 2, 2, S, 16]>>
  %y = tgraph.reshape %o : tensor<?x2x2x?x16xf32, #tgraph.dims<[B, 2, 2, S, 16]>> -> tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>>
  return %y, %k1, %v1 : tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>>, tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, P + S, 16]>>, tensor<?x2x?x16xf32, #tgraph.dims<[B, 2, P + S, 16]>>
}
