// RUN: tensor-opt %s --kernel-canonicalize | FileCheck %s

// CHECK-LABEL: func.func @everything
// CHECK: tkernel.kernel (%i : 4) reads(%[[A:.*]] = %arg0 : tensor<4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %[[X:.*]] = tkernel.load %[[A]][%i] : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[X]], %[[X]] : f32
// CHECK-NEXT: tkernel.store %[[Y]], 0[0, %i] : f32
func.func @everything(%x: tensor<4xf32>) -> tensor<1x4xf32> {
  %y = tkernel.kernel (%n : 1, %i : 4) reads(%a = %x : tensor<4xf32>, %b = %x : tensor<4xf32>) -> tensor<1x4xf32> {
    %0 = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)>(%n, %i)
    %1 = tkernel.load %a[%0] : tensor<4xf32>
    %2 = tkernel.load %b[%i] : tensor<4xf32>
    %3 = arith.addf %1, %2 : f32
    tkernel.store %3, 0[%n, %i] : f32
  }
  return %y : tensor<1x4xf32>
}

// A guard that always holds goes; one that may fail stays.
// CHECK-LABEL: func.func @guards
// CHECK-NOT: tview.map
// CHECK: tkernel.load %{{.*}}[%i] : tensor<4xf32>
// CHECK: tkernel.load %{{.*}} through #tview.map<affine_map<(d0) -> (d0)>, [(d0) : (d0 ge 1) else 1.000000e+00 : f32]>(%i)
func.func @guards(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %1 = tkernel.load %a through #tview.map<affine_map<(d0) -> (d0)>, [(d0) : (3 - d0 ge 0) else 1.0 : f32]>(%i) : tensor<4xf32>
    %2 = tkernel.load %a through #tview.map<affine_map<(d0) -> (d0)>, [(d0) : (d0 ge 1) else 1.0 : f32]>(%i) : tensor<4xf32>
    %3 = arith.addf %1, %2 : f32
    tkernel.store %3, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// A constant of one value is read as a scalar; around it the fill is chosen.
// CHECK-LABEL: func.func @constants
// CHECK-NOT: tgraph.constant
// CHECK: tkernel.kernel (%i : 4) -> tensor<4xf32>
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: %[[INSIDE:.*]] = arith.cmpi sge, %{{.*}}, %c0 : index
// CHECK: arith.select %[[INSIDE]], %[[ONE]], %[[TWO]] : f32
func.func @constants() -> tensor<4xf32> {
  %c = tgraph.constant dense<1.0> : tensor<3xf32>
  %y = tkernel.kernel (%i : 4) reads(%a = %c : tensor<3xf32>) -> tensor<4xf32> {
    %1 = tkernel.load %a[%i - 1] else 2.0 : tensor<3xf32>
    tkernel.store %1, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// Reductions over one point are their value; a contraction keeps an axis.
// CHECK-LABEL: func.func @unit_axes
// CHECK: tkernel.kernel (%n : 4, %r : 3, %s : 1)
// CHECK-NOT: tkernel.reduce
// CHECK: tkernel.contract %{{.*}}, %{{.*}} over(%r) : f32
// CHECK-NOT: tkernel.scan
// CHECK: tkernel.contract %{{.*}}, %{{.*}} over(%s) : f32
func.func @unit_axes(%x: tensor<4x1x3xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y:2 = tkernel.kernel (%n : 4, %c : 1, %r : 3, %s : 1) reads(%a = %x : tensor<4x1x3xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = tkernel.load %a[%n, %c, %r] : tensor<4x1x3xf32>
    %2 = tkernel.reduce addf %1 over (%c) : f32
    %3 = tkernel.contract %1, %2 over (%c, %r) : f32
    %4 = tkernel.load %a[%n, %c, 0] : tensor<4x1x3xf32>
    %5 = tkernel.scan addf %4 over %c : f32
    %6 = tkernel.contract %5, %5 over (%s) : f32
    tkernel.store %3, 0[%n] : f32
    tkernel.store %6, 1[%n] : f32
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @dead
// CHECK-NEXT: return
func.func @dead(%x: tensor<4xf32>) {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %1 = tkernel.load %a[%i] : tensor<4xf32>
    tkernel.store %1, 0[%i] : f32
  }
  return
}

// The extent decides the comparison.
// CHECK-LABEL: func.func @comparison
// CHECK-NOT: arith.select
// CHECK: tkernel.store
func.func @comparison(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %1 = tkernel.load %a[%i] : tensor<4xf32>
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    %2 = arith.cmpi slt, %i, %c4 : index
    %3 = arith.select %2, %1, %z : f32
    tkernel.store %3, 0[%i] : f32
  }
  return %y : tensor<4xf32>
}

// Nothing works along %j once the sum that nothing reads is gone; with a schedule, which may name it, it stays.
// CHECK-LABEL: func.func @idle
// CHECK: tkernel.kernel (%i : 4) reads
// CHECK: tkernel.kernel (%i : 4, %j : 8) reads
func.func @idle(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %z = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>, %b = %y : tensor<4xf32>) -> tensor<4xf32> {
    %1 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %2 = tkernel.reduce addf %1 over (%j) : f32
    %3 = tkernel.load %b[%i] : tensor<4xf32>
    tkernel.store %3, 0[%i] : f32
  }
  %w = tkernel.kernel (%i : 4, %j : 8) reads(%b = %y : tensor<4xf32>) -> tensor<4xf32>
      attributes {schedule = #tkernel.schedule<[order [j], tile [i]]>} {
    %3 = tkernel.load %b[%i] : tensor<4xf32>
    tkernel.store %3, 0[%i] : f32
  }
  return %z, %w : tensor<4xf32>, tensor<4xf32>
}

// An axis by way of an integer that holds all its points is the axis, so what is gathered at it is a view.
// CHECK-LABEL: func.func @casts
// CHECK: tkernel.kernel (%i : 200, %j : S <= 40) reads(%[[A:.*]] = %arg0
// CHECK: %[[NARROW:.*]] = arith.index_cast %i : index to i8
// CHECK: %[[BACK:.*]] = arith.index_cast %[[NARROW]] : i8 to index
// CHECK: tkernel.load %[[A]][%[[BACK]], %j]
func.func @casts(%x: tensor<200x40xf32>) -> tensor<200x40xf32, #tview.sizes<[200, S]>> attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 40, step = 1>}} {
  %y = tkernel.kernel (%i : 200, %j : S <= 40) reads(%a = %x : tensor<200x40xf32>) -> tensor<200x40xf32, #tview.sizes<[200, S]>> {
    %0 = arith.index_cast %i : index to i8
    %1 = arith.index_cast %0 : i8 to index
    %2 = arith.index_cast %j : index to i64
    %3 = arith.index_cast %2 : i64 to index
    %4 = tkernel.load %a[%1, %3] : tensor<200x40xf32>
    tkernel.store %4, 0[%i, %j] : f32
  }
  return %y : tensor<200x40xf32, #tview.sizes<[200, S]>>
}

// What is loaded is no axis.
// CHECK-LABEL: func.func @loaded
// CHECK: arith.index_cast %{{.*}} : i32 to index
// CHECK: arith.index_cast %{{.*}} : index to i64
func.func @loaded(%x: tensor<7xi32>) -> tensor<7xi64> {
  %y = tkernel.kernel (%i : 7) reads(%a = %x : tensor<7xi32>) -> tensor<7xi64> {
    %0 = tkernel.load %a[%i] : tensor<7xi32>
    %1 = arith.index_cast %0 : i32 to index
    %2 = arith.index_cast %1 : index to i64
    tkernel.store %2, 0[%i] : i64
  }
  return %y : tensor<7xi64>
}

// A mask of two conditions is two masks, whatever else they choose between stays one.
// CHECK-LABEL: func.func @masks
// CHECK-DAG:     %[[NEVER:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG:     %[[A:.*]] = arith.cmpi sge, %i, %j
// CHECK-DAG:     %[[B:.*]] = arith.cmpi slt, %i, %k
// CHECK-DAG:     %[[X:.*]] = tkernel.load
// CHECK-DAG:     %[[BOTH:.*]] = arith.andi %[[A]], %[[B]]
// CHECK:         %[[IN:.*]] = arith.select %[[B]], %[[X]], %[[NEVER]]
// CHECK:         arith.select %[[A]], %[[IN]], %[[NEVER]]
// CHECK:         %[[OUT:.*]] = arith.select %[[B]], %[[NEVER]], %[[X]]
// CHECK:         arith.select %[[A]], %[[NEVER]], %[[OUT]]
// CHECK:         arith.select %[[BOTH]], %[[X]], %{{.*}}
func.func @masks(%x: tensor<7x8x9xf32>) -> (tensor<7x8x9xf32>, tensor<7x8x9xf32>, tensor<7x8x9xf32>) {
  %y:3 = tkernel.kernel (%i : 7, %j : 8, %k : 9) reads(%a = %x : tensor<7x8x9xf32>) -> (tensor<7x8x9xf32>, tensor<7x8x9xf32>, tensor<7x8x9xf32>) {
    %never = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %0 = arith.cmpi sge, %i, %j : index
    %1 = arith.cmpi slt, %i, %k : index
    %2 = tkernel.load %a[%i, %j, %k] : tensor<7x8x9xf32>
    %3 = arith.andi %0, %1 : i1
    %4 = arith.select %3, %2, %never : f32
    tkernel.store %4, 0[%i, %j, %k] : f32
    %5 = arith.ori %0, %1 : i1
    %6 = arith.select %5, %never, %2 : f32
    tkernel.store %6, 1[%i, %j, %k] : f32
    %7 = arith.select %3, %2, %zero : f32
    tkernel.store %7, 2[%i, %j, %k] : f32
  }
  return %y#0, %y#1, %y#2 : tensor<7x8x9xf32>, tensor<7x8x9xf32>, tensor<7x8x9xf32>
}
