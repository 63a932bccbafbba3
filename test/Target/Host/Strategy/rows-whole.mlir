// Short rows whose length a call settles are whole in a tile, with a list for up to 16 of them and up to 32: a loop over
// two vectors of a row would be entered three times for each tile. Of the most rows that saves enough, if not in the mean.
// RUN: tensor-compile %s --target=host:x86-64-v4 --option=threads=1 --to=schedule | FileCheck %s
// RUN: tensor-run %s --symbol=R=37 --symbol=S=31 --dim=R=1..512 --dim=S=1..1024 --no-cache --compare=interpreter | FileCheck %s --check-prefix=SAME
// RUN: tensor-run %s --symbol=R=6 --symbol=S=9 --dim=R=1..512 --dim=S=1..1024 --no-cache --compare=interpreter | FileCheck %s --check-prefix=SAME
// Where a store under a mask is many instructions a row ends in three stores, in such a tile as in parts.
// RUN: tensor-compile %s --target=host:znver3 --option=threads=1 --to=schedule | FileCheck %s --check-prefix=DEAR
// DEAR: split j = [j_o, j_i 8], grid [i_o], order [j_o], tile [i_i, j_i], keep kept local, edge j peel
// DEAR-SAME: most = 16 : i64, {{.*}}split j = [j_p, j_w 16], split i = [i_o, i_i 8], grid [i_o], tile [i_i, j_w]
// CHECK: split j = [j_o, j_i 16], grid [i_o], order [j_o], tile [i_i, j_i], keep kept local, edge j peel
// CHECK-SAME: least = {{[25]}} : i64, most = 16 : i64, {{.*}}split j = [j_p, j_w 16], split i = [i_o, i_i 4], grid [i_o], tile [i_i, j_w]
// CHECK-SAME: least = 17 : i64, most = 32 : i64, {{.*}}split j = [j_p, j_w 32], split i = [i_o, i_i 4], grid [i_o], tile [i_i, j_w]
// SAME: compare {{.*}}: ok
func.func @main(%x: tensor<?x?xf32, #tgraph.dims<[R, S]>>) -> tensor<?x?xf32, #tgraph.dims<[R, S]>> attributes {tgraph.symbols = {R = #tgraph.symbol<min = 1, max = 512, step = 1>, S = #tgraph.symbol<min = 1, max = 1024, step = 1>}} {
  %y = tgraph.softmax %x dim 1 : tensor<?x?xf32, #tgraph.dims<[R, S]>>
  return %y : tensor<?x?xf32, #tgraph.dims<[R, S]>>
}
