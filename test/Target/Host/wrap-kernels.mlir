// RUN: tensor-opt %s --host-wrap-kernels | FileCheck %s

// CHECK: llvm.func internal @k.program(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64) attributes {always_inline}
llvm.func @k(%x: !llvm.ptr, %y: !llvm.ptr, %i: i64, %j: i64, %l: i64) attributes {tw.grid = array<i64: 2, 1, 5>} {
  llvm.return
}

// CHECK: llvm.func @k(%[[LAUNCH:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i32, %[[END:.*]]: i32, %{{.*}}: !llvm.ptr)
// CHECK: %[[BINDINGS:.*]] = llvm.load %[[LAUNCH]]
// CHECK: %[[X:.*]] = llvm.load
// CHECK: %[[Y:.*]] = llvm.load
// CHECK: %[[LOW:.*]] = llvm.zext %[[BEGIN]]
// CHECK: %[[HIGH:.*]] = llvm.zext %[[END]]
// CHECK: ^[[HEAD:.*]](%[[ID:.*]]: i64):
// CHECK: llvm.icmp "ult" %[[ID]], %[[HIGH]]
// CHECK: %[[L:.*]] = llvm.urem %[[ID]]
// CHECK: %[[I:.*]] = llvm.udiv %[[ID]]
// CHECK: %[[J:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: llvm.call @k.program(%[[X]], %[[Y]], %[[I]], %[[J]], %[[L]])

// What was stored past the caches is there for other threads when the kernel returns.
// CHECK: llvm.func @streams(
// CHECK: llvm.fence seq_cst
// CHECK-NEXT: llvm.return
llvm.func @streams(%x: !llvm.ptr, %i: i64) attributes {tw.grid = array<i64: 2>} {
  %v = llvm.mlir.constant(dense<0.0> : vector<16xf32>) : vector<16xf32>
  llvm.store %v, %x {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
  llvm.return
}

// A team and its memory come with the launch.
// CHECK: llvm.func internal @team.program(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) attributes {always_inline}
// CHECK: llvm.func @team(%[[LAUNCH:.*]]: !llvm.ptr, %{{.*}}: i32, %{{.*}}: i32, %[[OWN:.*]]: !llvm.ptr)
// CHECK: llvm.load %[[LAUNCH]]
// CHECK: %[[X:.*]] = llvm.load
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[LAUNCH]][32]
// CHECK: %[[TEAM:.*]] = llvm.load %[[PLACE]]
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[TEAM]][24]
// CHECK: %[[SHARED:.*]] = llvm.load %[[FIELD]]
// CHECK: llvm.call @team.program(%[[X]], %{{.*}}, %[[OWN]], %[[SHARED]], %[[TEAM]])
llvm.func @team(%x: !llvm.ptr, %i: i64, %own: !llvm.ptr, %shared: !llvm.ptr, %team: !llvm.ptr)
    attributes {tw.grid = array<i64: 2>, tw.scratch, tw.shared, tw.team} {
  llvm.return
}
