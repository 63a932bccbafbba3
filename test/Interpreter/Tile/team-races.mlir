// RUN: not tensor-opt %s --interpret="check-races" -o /dev/null 2>&1 | FileCheck %s

// Iterations run in any order: what one stores another does not read before the loop ends.
// CHECK: error: thread 1 reads element 0, which thread 0 wrote with no barrier between [T0707]
// CHECK: note: the earlier access is here
ttile.func @main() results(%y: memref<4xf32>, %z: memref<4xf32>) {
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (4) {
    ttile.store %one, %y through #tview.map<affine_map<(d0, d1) -> (d1)>>(%i) : tensor<1xf32> -> memref<4xf32>
    %t = ttile.load %y through #tview.map<affine_map<(d0) -> (0)>>() : memref<4xf32> -> tensor<1xf32>
    ttile.store %t, %z through #tview.map<affine_map<(d0, d1) -> (d1)>>(%i) : tensor<1xf32> -> memref<4xf32>
  } {mapping = [#ttile.team]}
  ttile.return
}
