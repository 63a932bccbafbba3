// A cache of a fixed size and where it ends, both state: the rows at a place that data says are replaced in place. Beyond
// the end nothing is stored.
// RUN: tensor-run %s --input=p=%S/Inputs/three.npy --steps=9 --compare=interpreter | FileCheck %s
// CHECK-COUNT-3: compare {{.*}}: ok

// Each kernel is judged by what was there before it.
// RUN: tensor-run %s --input=p=%S/Inputs/three.npy --check-every-kernel | FileCheck %s --check-prefix=KERNELS
// KERNELS: kernels {{[1-9][0-9]*}} launches checked, 0 differ
func.func @main(%x: tensor<4x2x16xf32> {tgraph.name = "x"}, %c: tensor<4x20x16xf32> {tgraph.name = "c", tgraph.alias = 0 : i64},
    %p: tensor<i64> {tgraph.name = "p", tgraph.alias = 2 : i64})
    -> (tensor<4x20x16xf32> {tgraph.name = "c1"}, tensor<4x16xf32> {tgraph.name = "y"}, tensor<i64> {tgraph.name = "p1"}) {
  %f = tgraph.exp %x : tensor<4x2x16xf32>
  %c1 = tgraph.update_slice %c, %f at <[0, 0, 0]> plus %p along [1] : tensor<4x20x16xf32>, tensor<4x2x16xf32>, tensor<i64> -> tensor<4x20x16xf32>
  %y = tgraph.reduce add %c1 dims [1] : tensor<4x20x16xf32> -> tensor<4x16xf32>
  %two = tgraph.constant dense<2> : tensor<i64>
  %p1 = tgraph.add %p, %two : tensor<i64>
  return %c1, %y, %p1 : tensor<4x20x16xf32>, tensor<4x16xf32>, tensor<i64>
}
