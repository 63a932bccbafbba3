// What is asked of loops in loops is asked many times: answered once, 0.3 s instead of 17.
// RUN: timeout 8 tensor-opt %s --tile-assign-layouts --tile-insert-barriers | FileCheck %s

// CHECK: ttile.store
ttile.func @stores(%arg0: memref<96x112x112xf32>) results(%arg1: memref<96x112x112xf32>) warps(1) {
  %cst = arith.constant dense<0.000000e+00> : tensor<1xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %c112 = arith.constant 112 : index
  scf.for %i = %c0 to %c96 step %c1 {
    scf.for %j = %c0 to %c112 step %c1 {
      scf.for %k = %c0 to %c112 step %c1 {
        ttile.store %cst, %arg1 through #tview.map<affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>>(%i, %j, %k) : tensor<1xf32> -> memref<96x112x112xf32>
      }
    }
  }
  ttile.return
}
