// Quotients of a merged axis end where the dimension does that a call settles: no access asks whether they are inside.
// REQUIRES: compiler
// RUN: split-file %s %t
// RUN: tensor-compile %t/merged.mlir --target=host:x86-64-v3 --to=tile | FileCheck %s
// RUN: tensor-run %t/attention.mlir --symbol=B=3 --symbol=S=13 --target=host:x86-64-v3 --no-cache --compare=interpreter | FileCheck %s --check-prefix=SAME
// CHECK: ttile.func @contract({{.*}} grid(%bh = 12 * B <= 96
// CHECK-NOT: floordiv 12 ge
// CHECK: ttile.return
// SAME: compare {{.*}}: ok

//--- merged.mlir
!W = tensor<8x12x16x16xf32, #tview.sizes<[B, 12, S, S]>>
!V = tensor<8x12x16x64xf32, #tview.sizes<[B, 12, S, 64]>>
func.func @main(%w: !W, %v: !V) -> !V attributes {tgraph.symbols = {B = #tgraph.symbol<min = 1, max = 8, step = 1>, S = #tgraph.symbol<min = 1, max = 16, step = 1>}} {
  %5 = tkernel.kernel @contract (%b : B <= 8, %h : 12, %i : S <= 16, %d : 64, %j : S <= 16) reads(%arg3 = %w : !W, %arg4 = %v : !V) -> !V attributes {schedule = #tkernel.schedule<[merge bh = [b, h], split i = [i_o, i_r 4], split d = [d_o, d_l 16], grid [bh, i_o], order [d_o, j], tile [i_r, d_l], edge i switch]>} {
      %6 = tkernel.load %arg3[%b, %h, %i, %j] : !W
      %7 = tkernel.load %arg4[%b, %h, %j, %d] : !V
      %8 = tkernel.contract %6, %7 over(%j) : f32
      tkernel.store %8, 0[%b, %h, %i, %d] : f32
  }
  return %5 : !V
}
//--- attention.mlir
func.func @main(%q: tensor<?x12x?x64xf32, #tgraph.dims<[B, 12, S, 64]>>, %k: tensor<?x12x?x64xf32, #tgraph.dims<[B, 12, S, 64]>>, %v: tensor<?x12x?x64xf32, #tgraph.dims<[B, 12, S, 64]>>) -> tensor<?x12x?x64xf32, #tgraph.dims<[B, 12, S, 64]>> attributes {tgraph.symbols = {B = #tgraph.symbol<min = 1, max = 8, step = 1>, S = #tgraph.symbol<min = 1, max = 512, step = 1>}} {
  %s = tgraph.contract "bhid,bhjd->bhij" %q, %k : tensor<?x12x?x64xf32, #tgraph.dims<[B, 12, S, 64]>>, tensor<?x12x?x64xf32, #tgraph.dims<[B, 12, S, 64]>> -> tensor<?x12x?x?xf32, #tgraph.dims<[B, 12, S, S]>>
  %p = tgraph.softmax %s dim 3 : tensor<?x12x?x?xf32, #tgraph.dims<[B, 12, S, S]>>
  %y = tgraph.contract "bhij,bhjd->bhid" %p, %v : tensor<?x12x?x?xf32, #tgraph.dims<[B, 12, S, S]>>, tensor<?x12x?x64xf32, #tgraph.dims<[B, 12, S, 64]>> -> tensor<?x12x?x64xf32, #tgraph.dims<[B, 12, S, 64]>>
  return %y : tensor<?x12x?x64xf32, #tgraph.dims<[B, 12, S, 64]>>
}
