// Constants along two dimensions that comparisons of their indices give become these; all others stay.
// RUN: tensor-opt %s --graph-fold-constants | FileCheck %s
// RUN: tensor-opt %s --graph-fold-constants=max-mask=11 | FileCheck %s --check-prefix=SMALL
// RUN: tensor-opt %s --interpret="entry=all integers=true" -o /dev/null > %t.before
// RUN: tensor-opt %s --graph-fold-constants --interpret="entry=all integers=true" -o /dev/null | diff %t.before -

// Causal: what a row sees ends behind its own place.
// CHECK-LABEL: func.func @causal
// CHECK-DAG:     %[[I:.*]] = tgraph.iota dim 2 : tensor<1x1x4x4xi32>
// CHECK-DAG:     %[[J:.*]] = tgraph.iota dim 3 : tensor<1x1x4x4xi32>
// CHECK-DAG:     %[[ONE:.*]] = tgraph.constant dense<1> : tensor<1x1x4x4xi32>
// CHECK:         %[[END:.*]] = tgraph.add %[[I]], %[[ONE]]
// CHECK:         tgraph.compare lt, %[[J]], %[[END]]
// SMALL-LABEL: func.func @causal
// SMALL-NOT:     tgraph.compare
func.func @causal(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  %c = tgraph.constant dense<[[[[true, false, false, false], [true, true, false, false], [true, true, true, false], [true, true, true, true]]]]> : tensor<1x1x4x4xi1>
  %n = tgraph.constant dense<0xFF800000> : tensor<1x1x4x4xf32>
  %0 = tgraph.select %c, %x, %n : tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}

// What is true is hidden: the last row hides nothing.
// CHECK-LABEL: func.func @hidden
// CHECK:         tgraph.compare ge
func.func @hidden(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %c = tgraph.constant dense<[[false, false, true, true], [false, false, false, true], [false, false, false, false]]> : tensor<3x4xi1>
  %n = tgraph.constant dense<0xFF800000> : tensor<3x4xf32>
  %0 = tgraph.select %c, %n, %x : tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// Of floats that are added, computed from other constants.
// CHECK-LABEL: func.func @added
// CHECK-DAG:     %[[ZERO:.*]] = tgraph.constant dense<0.000000e+00> : tensor<1x3x4xf32>
// CHECK-DAG:     %[[NEVER:.*]] = tgraph.constant dense<0xFF800000> : tensor<1x3x4xf32>
// CHECK-DAG:     %[[SEEN:.*]] = tgraph.compare lt
// CHECK:         %[[MASK:.*]] = tgraph.select %[[SEEN]], %[[ZERO]], %[[NEVER]]
// CHECK:         %[[ALL:.*]] = tgraph.expand %[[MASK]]
// CHECK:         tgraph.add %{{.*}}, %[[ALL]]
func.func @added(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %c = tgraph.constant dense<[[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<3x4xf32>
  %n = tgraph.constant dense<0xFF800000> : tensor<3x4xf32>
  %z = tgraph.constant dense<0.0> : tensor<3x4xf32>
  %t = tgraph.compare gt, %c, %z : tensor<3x4xf32>
  %m = tgraph.select %t, %n, %z : tensor<3x4xf32>
  %r = tgraph.reshape %m : tensor<3x4xf32> -> tensor<1x3x4xf32>
  %e = tgraph.expand %r : tensor<1x3x4xf32> -> tensor<2x3x4xf32>
  %0 = tgraph.add %x, %e : tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// A window, from two columns before twice the row to two behind.
// CHECK-LABEL: func.func @window
// CHECK:         %[[END:.*]] = tgraph.compare lt
// CHECK:         %[[BEGIN:.*]] = tgraph.compare ge
// CHECK:         tgraph.and %[[END]], %[[BEGIN]]
func.func @window(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = tgraph.constant dense<[[1, 1, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1, 1, 1]]> : tensor<4x8xi1>
  %n = tgraph.constant dense<0xFF800000> : tensor<4x8xf32>
  %0 = tgraph.select %c, %x, %n : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// One bit apart, a row that sees nothing, all of it, floats that nothing is added to, and another number.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     tgraph.compare
func.func @others(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %n = tgraph.constant dense<0xFF800000> : tensor<3x4xf32>
  %apart = tgraph.constant dense<[[true, false, true, false], [true, true, false, false], [true, true, true, false]]> : tensor<3x4xi1>
  %0 = tgraph.select %apart, %x, %n : tensor<3x4xf32>
  %some = tgraph.constant dense<[[true, true, true, false], [false, true, false, false], [true, true, true, true]]> : tensor<3x4xi1>
  %1 = tgraph.select %some, %x, %n : tensor<3x4xf32>
  %all = tgraph.constant dense<true> : tensor<3x4xi1>
  %2 = tgraph.select %all, %x, %n : tensor<3x4xf32>
  %factor = tgraph.constant dense<[[0.0, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0xFF800000]]> : tensor<3x4xf32>
  %3 = tgraph.mul %x, %factor : tensor<3x4xf32>
  %large = tgraph.constant dense<[[0.0, -1.0e+9, -1.0e+9, -1.0e+9], [0.0, 0.0, -1.0e+9, -1.0e+9], [0.0, 0.0, 0.0, -1.0e+9]]> : tensor<3x4xf32>
  %4 = tgraph.add %x, %large : tensor<3x4xf32>
  return %0, %1, %2, %3, %4 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// The numbers stay, of masks in all forms.
// CHECK-LABEL: func.func @all
func.func @all(%x: tensor<5x6xf32>) -> (tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>) {
  %n = tgraph.constant dense<-9.0> : tensor<5x6xf32>
  // CHECK-COUNT-7: tgraph.compare
  // CHECK-NOT: tgraph.compare
  %causal = tgraph.constant dense<[[1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1]]> : tensor<5x6xi1>
  %0 = tgraph.select %causal, %x, %n : tensor<5x6xf32>
  %falling = tgraph.constant dense<[[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]]> : tensor<5x6xi1>
  %1 = tgraph.select %falling, %x, %n : tensor<5x6xf32>
  %band = tgraph.constant dense<[[1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0], [0, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 0], [0, 0, 0, 1, 1, 1]]> : tensor<5x6xi1>
  %2 = tgraph.select %band, %x, %n : tensor<5x6xf32>
  %beside = tgraph.constant dense<[[0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1], [1, 1, 0, 0, 0, 1], [1, 1, 1, 0, 0, 0]]> : tensor<5x6xi1>
  %3 = tgraph.select %beside, %x, %n : tensor<5x6xf32>
  %steep = tgraph.constant dense<[[1, 0, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]]> : tensor<5x6xi1>
  %4 = tgraph.select %steep, %3, %n : tensor<5x6xf32>
  return %0, %1, %2, %4 : tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>
}
