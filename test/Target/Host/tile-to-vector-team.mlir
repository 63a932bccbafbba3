// RUN: tensor-opt %s --tile-to-vector --canonicalize | FileCheck %s

#local = #gpu.address_space<workgroup>

// Each thread runs its share, then waits. Memory outside of the loops is the team's, which may
// change at a barrier like the result; that inside is the thread's, and lies where that of another
// loop lay.
// CHECK-LABEL: func.func @team(
// CHECK-SAME:    %{{.*}}: memref<64xf32> {llvm.noalias}, %{{.*}}: memref<64xf32>,
// CHECK-SAME:    %[[OWN:.*]]: memref<128xi8> {llvm.align = 64 : i64, llvm.noalias}, %[[SHARED:.*]]: memref<256xi8> {llvm.align = 64 : i64}, %[[TEAM:.*]]: !llvm.ptr)
// CHECK-SAME:    tw.scratch, tw.shared, tw.team
ttile.func @team(%x: memref<64xf32>) results(%y: memref<8x8xf32>) {
  // CHECK: memref.view %[[SHARED]][%c0{{.*}}][] : memref<256xi8> to memref<64xf32>
  %s = ttile.alloc : memref<64xf32, #local>
  // CHECK: %[[PLACE:.*]] = llvm.load %[[TEAM]] : !llvm.ptr -> i32
  // CHECK: %[[MEMBER:.*]] = arith.index_castui %[[PLACE]]
  // CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[TEAM]][4]
  // CHECK: %[[COUNT:.*]] = llvm.load %[[FIELD]]
  // CHECK: %[[MEMBERS:.*]] = arith.index_castui %[[COUNT]]
  // CHECK: %[[PRODUCT:.*]] = arith.muli %[[MEMBER]], %c4
  // CHECK: %[[BEGIN:.*]] = arith.divui %[[PRODUCT]], %[[MEMBERS]]
  // CHECK: %[[NEXT:.*]] = arith.addi %[[MEMBER]], %c1
  // CHECK: arith.muli %[[NEXT]], %c4
  // CHECK: %[[END:.*]] = arith.divui
  // CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]] step %c1
  // CHECK:   arith.muli %[[I]], %c16
  // CHECK:   memref.view %[[OWN]][%c0{{.*}}][] : memref<128xi8> to memref<16xf32>
  // CHECK: }
  // CHECK: %[[BARRIER:.*]] = llvm.load {{.*}} -> !llvm.ptr
  // CHECK: %[[STATE:.*]] = llvm.load {{.*}} -> !llvm.ptr
  // CHECK: llvm.call %[[BARRIER]](%[[STATE]]) : !llvm.ptr, (!llvm.ptr) -> ()
  scf.forall (%i) = (0) to (64) step (16) {
    %own = ttile.alloc : memref<16xf32, #local>
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 + d0)>>(%i) : memref<64xf32> -> tensor<16xf32>
    ttile.store %t, %own through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<16xf32> -> memref<16xf32, #local>
    %u = ttile.load %own through #tview.map<affine_map<(d0) -> (d0)>>() : memref<16xf32, #local> -> tensor<16xf32>
    ttile.store %u, %s through #tview.map<affine_map<(d0, d1) -> (d1 + d0)>>(%i) : tensor<16xf32> -> memref<64xf32, #local>
  } {mapping = [#ttile.team]}
  // CHECK: %[[J:.*]] = llvm.load
  // CHECK: scf.for %[[I:.*]] =
  // CHECK:   arith.remui %[[I]], %c8
  // CHECK:   arith.divui %[[I]], %c8
  // CHECK:   memref.view %[[OWN]][%c0{{.*}}][] : memref<128xi8> to memref<1xf32>
  // CHECK:   memref.view %[[OWN]][%c64{{.*}}][] : memref<128xi8> to memref<2xf32>
  // CHECK: llvm.call
  scf.forall (%i, %j) in (8, 8) {
    %a = ttile.alloc : memref<1xf32, #local>
    %b = ttile.alloc : memref<2xf32, #local>
    %t = ttile.load %s through #tview.map<affine_map<(d0, d1, d2) -> (d1 * 8 + d2)>>(%i, %j) : memref<64xf32, #local> -> tensor<1xf32>
    ttile.store %t, %a through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<1xf32> -> memref<1xf32, #local>
    ttile.store %t, %b through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<1xf32> -> memref<2xf32, #local>
    ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2)>>(%i, %j) : tensor<1xf32> -> memref<8x8xf32>
  } {mapping = [#ttile.team, #ttile.team]}
  ttile.return
}
