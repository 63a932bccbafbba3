// RUN: tensor-opt %s --split-input-file --interpret="integers=true check-races" -o /dev/null | FileCheck %s

#local = #gpu.address_space<workgroup>

// What one iteration stores the next loop reads, in programs one after the other; strided bounds.
// CHECK: result 0 : tensor<2x6xi32> = 5 4 3 2 1 0 15 14 13 12 11 10
ttile.func @main() results(%y: memref<2x6xi32>) grid(%p = 2) {
  %s = ttile.alloc : memref<6xi32, #local>
  scf.forall (%i) = (0) to (5) step (2) {
    %v = ttile.index affine_map<(d0, d1, d2) -> (d2 * 10 + d1 + d0)>(%i, %p) : tensor<2xindex>
    %w = arith.index_cast %v : tensor<2xindex> to tensor<2xi32>
    ttile.store %w, %s through #tview.map<affine_map<(d0, d1) -> (d1 + d0)>>(%i) : tensor<2xi32> -> memref<6xi32, #local>
  } {mapping = [#ttile.team]}
  scf.forall (%i, %j) in (3, 2) {
    %t = ttile.load %s through #tview.map<affine_map<(d0, d1, d2) -> (5 - d1 * 2 - d2)>>(%i, %j) : memref<6xi32, #local> -> tensor<1xi32>
    ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2, d3) -> (d3, d1 * 2 + d2)>>(%i, %j, %p) : tensor<1xi32> -> memref<2x6xi32>
  } {mapping = [#ttile.team, #ttile.team]}
  ttile.return
}

// -----

#local = #gpu.address_space<workgroup>

// Memory allocated inside is undefined in each iteration, and no other thread's: no race.
// CHECK: result 0 : tensor<2xi32> = -1 -1
ttile.func @main() results(%y: memref<2xi32>) {
  %five = arith.constant dense<5> : tensor<1xi32>
  scf.forall (%i) in (2) {
    %s = ttile.alloc : memref<1xi32, #local>
    %t = ttile.load %s through #tview.map<affine_map<(d0) -> (d0)>>() : memref<1xi32, #local> -> tensor<1xi32>
    ttile.store %five, %s through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<1xi32> -> memref<1xi32, #local>
    ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1)>>(%i) : tensor<1xi32> -> memref<2xi32>
  } {mapping = [#ttile.team]}
  ttile.return
}
