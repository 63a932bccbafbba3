// Rows of many sequences are rows of one product. What is added to them, a table of positions beside tokens, has tokens alone, so the
// product does not compute it: its rows would be those of one sequence at a time, one row of 64 sequences of one token.
// RUN: tensor-compile %s --target=host:x86-64-v3 --option=threads=1 --explain=fusion | FileCheck %s
// RUN: tensor-compile %s --target=host:x86-64-v3 --option=threads=1 --to=schedule | FileCheck %s --check-prefix=ROWS
// RUN: tensor-run %s --symbol=B=5 --symbol=S=3 --dim=B=1..64 --dim=S=1..256 --no-cache --compare=interpreter | FileCheck %s --check-prefix=SAME
// CHECK: refused {{.*}}: rows of the product would be those of one sequence at a time
// ROWS: tkernel.kernel @{{.*}}contract{{.*}} : B * S <= 16384
// SAME: compare {{.*}}: ok
!rows = tensor<?x?x256xf32, #tgraph.dims<[B, S, 256]>>
func.func @main(%t: !rows, %p: tensor<1x?x256xf32, #tgraph.dims<[1, S, 256]>>, %h: !rows, %w: tensor<256x256xf32>, %g: tensor<256xf32>) -> (!rows, !rows) attributes {
    tgraph.symbols = {B = #tgraph.symbol<min = 1, max = 64, step = 1>, S = #tgraph.symbol<min = 1, max = 256, step = 1>}} {
  %a = tgraph.expand %p : tensor<1x?x256xf32, #tgraph.dims<[1, S, 256]>> -> !rows
  %x = tgraph.add %t, %a : !rows
  %m = tgraph.contract "bsk,kn->bsn" %h, %w : !rows, tensor<256x256xf32> -> !rows
  %y = tgraph.add %m, %x : !rows
  %n = tgraph.layer_norm %x scale %g : tensor<256xf32> bias %g : tensor<256xf32> dims [2] eps 1.0e-05 : !rows
  return %y, %n : !rows, !rows
}
