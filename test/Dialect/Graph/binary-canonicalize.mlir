// Simplification of elementwise ops of two operands: what holds for NaN, infinities and both zeros.
// RUN: tensor-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @add_zero
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>
func.func @add_zero(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  // -0.0 + 0.0 is 0.0, so only -0.0 is neutral.
  // CHECK: %[[ZERO:.*]] = tgraph.constant dense<0.000000e+00>
  // CHECK: %[[SUM:.*]] = tgraph.add %[[X]], %[[ZERO]]
  // CHECK: return %[[X]], %[[SUM]], %[[I]]
  %n = tgraph.constant dense<-0.0> : tensor<4xf32>
  %0 = tgraph.add %n, %x : tensor<4xf32>
  %p = tgraph.constant dense<0.0> : tensor<4xf32>
  %1 = tgraph.add %p, %x : tensor<4xf32>
  %z = tgraph.constant dense<0> : tensor<4xi32>
  %2 = tgraph.add %i, %z : tensor<4xi32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @add_neg
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>
func.func @add_neg(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %n = tgraph.neg %b : tensor<4xf32>
  // CHECK: tgraph.sub %[[A]], %[[B]]
  %0 = tgraph.add %a, %n : tensor<4xf32>
  // CHECK: tgraph.sub %[[A]], %[[B]]
  %1 = tgraph.add %n, %a : tensor<4xf32>
  // CHECK: tgraph.add %[[A]], %[[B]]
  %2 = tgraph.sub %a, %n : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @sub
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>
func.func @sub(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) {
  // CHECK-DAG: %[[P:.*]] = tgraph.constant dense<0.000000e+00>
  // CHECK-DAG: %[[Z:.*]] = tgraph.constant dense<0> : tensor<4xi32>
  // CHECK: %[[S:.*]] = tgraph.sub %[[P]], %[[X]]
  // CHECK: %[[D:.*]] = tgraph.sub %[[X]], %[[X]]
  // CHECK: %[[N:.*]] = tgraph.neg %[[I]]
  // CHECK: return %[[X]], %[[S]], %[[D]], %[[Z]], %[[N]]
  %p = tgraph.constant dense<0.0> : tensor<4xf32>
  %0 = tgraph.sub %x, %p : tensor<4xf32>
  // 0.0 - 0.0 is 0.0, neg(0.0) is -0.0: stays.
  %1 = tgraph.sub %p, %x : tensor<4xf32>
  // inf - inf is NaN: stays.
  %2 = tgraph.sub %x, %x : tensor<4xf32>
  %3 = tgraph.sub %i, %i : tensor<4xi32>
  %z = tgraph.constant dense<0> : tensor<4xi32>
  %4 = tgraph.sub %z, %i : tensor<4xi32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @mul
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>
func.func @mul(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  // CHECK-DAG: %[[P:.*]] = tgraph.constant dense<0.000000e+00>
  // CHECK-DAG: %[[Z:.*]] = tgraph.constant dense<0> : tensor<4xi32>
  // NaN * 0 is NaN: stays.
  // CHECK: %[[M:.*]] = tgraph.mul %[[X]], %[[P]]
  // CHECK: %[[N:.*]] = tgraph.neg %[[X]]
  // CHECK: return %[[X]], %[[M]], %[[N]], %[[Z]]
  %one = tgraph.constant dense<1.0> : tensor<4xf32>
  %0 = tgraph.mul %one, %x : tensor<4xf32>
  %p = tgraph.constant dense<0.0> : tensor<4xf32>
  %1 = tgraph.mul %x, %p : tensor<4xf32>
  %m = tgraph.constant dense<-1.0> : tensor<4xf32>
  %2 = tgraph.mul %m, %x : tensor<4xf32>
  %z = tgraph.constant dense<0> : tensor<4xi32>
  %3 = tgraph.mul %z, %i : tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @div
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>
func.func @div(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) {
  // CHECK-DAG: %[[EIGHTH:.*]] = tgraph.constant dense<1.250000e-01>
  // CHECK-DAG: %[[THREE:.*]] = tgraph.constant dense<3.000000e+00>
  // CHECK: %[[M:.*]] = tgraph.mul %[[X]], %[[EIGHTH]]
  // 1 / 3 is not exact: stays.
  // CHECK: %[[D:.*]] = tgraph.div %[[X]], %[[THREE]]
  // 0 / 0 is -1: stays.
  // CHECK: %[[E:.*]] = tgraph.div %[[I]], %[[I]]
  // CHECK: return %[[X]], %[[M]], %[[D]], %[[I]], %[[E]]
  %one = tgraph.constant dense<1.0> : tensor<4xf32>
  %0 = tgraph.div %x, %one : tensor<4xf32>
  %eight = tgraph.constant dense<8.0> : tensor<4xf32>
  %1 = tgraph.div %x, %eight : tensor<4xf32>
  %three = tgraph.constant dense<3.0> : tensor<4xf32>
  %2 = tgraph.div %x, %three : tensor<4xf32>
  %ione = tgraph.constant dense<1> : tensor<4xi32>
  %3 = tgraph.div %i, %ione : tensor<4xi32>
  %4 = tgraph.div %i, %i : tensor<4xi32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @remainder
func.func @remainder(%i: tensor<4xi32>, %x: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xf32>) {
  // CHECK: %[[Z:.*]] = tgraph.constant dense<0> : tensor<4xi32>
  // CHECK: %[[R:.*]] = tgraph.rem %{{.*}} : tensor<4xf32>
  // CHECK: return %[[Z]], %[[Z]], %[[R]]
  %one = tgraph.constant dense<1> : tensor<4xi32>
  %0 = tgraph.rem %i, %one : tensor<4xi32>
  %1 = tgraph.mod %i, %one : tensor<4xi32>
  %f = tgraph.constant dense<1.0> : tensor<4xf32>
  %2 = tgraph.rem %x, %f : tensor<4xf32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @pow
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>
func.func @pow(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  // CHECK-DAG: %[[ONE:.*]] = tgraph.constant dense<1.000000e+00>
  // CHECK: %[[SQUARE:.*]] = tgraph.mul %[[X]], %[[X]]
  // CHECK: %[[SQUARE3:.*]] = tgraph.mul %[[X]], %[[X]]
  // CHECK: %[[CUBE:.*]] = tgraph.mul %[[SQUARE3]], %[[X]]
  // CHECK: %[[INV:.*]] = tgraph.reciprocal %[[X]]
  // pow(-0, 0.5) is 0 and sqrt(-0) is -0: stays.
  // CHECK: %[[ROOT:.*]] = tgraph.pow %[[X]]
  // CHECK: %[[I2:.*]] = tgraph.mul %[[I]], %[[I]]
  // CHECK: return %[[ONE]], %[[X]], %[[SQUARE]], %[[CUBE]], %[[INV]], %[[ROOT]], %[[I2]]
  %zero = tgraph.constant dense<0.0> : tensor<4xf32>
  %0 = tgraph.pow %x, %zero : tensor<4xf32>
  %one = tgraph.constant dense<1.0> : tensor<4xf32>
  %1 = tgraph.pow %x, %one : tensor<4xf32>
  %two = tgraph.constant dense<2.0> : tensor<4xf32>
  %2 = tgraph.pow %x, %two : tensor<4xf32>
  %three = tgraph.constant dense<3.0> : tensor<4xf32>
  %3 = tgraph.pow %x, %three : tensor<4xf32>
  %minus = tgraph.constant dense<-1.0> : tensor<4xf32>
  %4 = tgraph.pow %x, %minus : tensor<4xf32>
  %half = tgraph.constant dense<0.5> : tensor<4xf32>
  %5 = tgraph.pow %x, %half : tensor<4xf32>
  %itwo = tgraph.constant dense<2> : tensor<4xi32>
  %6 = tgraph.pow %i, %itwo : tensor<4xi32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @extremes
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi8>, %[[U:.*]]: tensor<4xui8>
func.func @extremes(%x: tensor<4xf32>, %i: tensor<4xi8>, %u: tensor<4xui8>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xui8>, tensor<4xui8>) {
  // CHECK-DAG: %[[INF:.*]] = tgraph.constant dense<0x7F800000>
  // CHECK-DAG: %[[GREATEST:.*]] = tgraph.constant dense<127> : tensor<4xi8>
  // maximum(NaN, inf) is NaN: stays.
  // CHECK: %[[M:.*]] = tgraph.maximum %[[X]], %[[INF]]
  // CHECK: return %[[X]], %[[M]], %[[GREATEST]], %[[I]], %[[U]], %[[U]]
  %least = tgraph.constant dense<0xFF800000> : tensor<4xf32>
  %0 = tgraph.maximum %least, %x : tensor<4xf32>
  %inf = tgraph.constant dense<0x7F800000> : tensor<4xf32>
  %1 = tgraph.maximum %x, %inf : tensor<4xf32>
  %g = tgraph.constant dense<127> : tensor<4xi8>
  %2 = tgraph.maximum %i, %g : tensor<4xi8>
  %3 = tgraph.minimum %i, %g : tensor<4xi8>
  %z = tgraph.constant dense<0> : tensor<4xui8>
  %4 = tgraph.maximum %u, %z : tensor<4xui8>
  %5 = tgraph.minimum %u, %u : tensor<4xui8>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xui8>, tensor<4xui8>
}

// CHECK-LABEL: func.func @bits
// CHECK-SAME: %[[I:.*]]: tensor<4xi8>, %[[B:.*]]: tensor<4xi1>
func.func @bits(%i: tensor<4xi8>, %b: tensor<4xi1>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi1>, tensor<4xi8>, tensor<4xi8>) {
  // CHECK-DAG: %[[Z:.*]] = tgraph.constant dense<0> : tensor<4xi8>
  // CHECK-DAG: %[[A:.*]] = tgraph.constant dense<-1> : tensor<4xi8>
  // CHECK: %[[N:.*]] = tgraph.not %[[B]]
  // CHECK: return %[[Z]], %[[I]], %[[I]], %[[A]], %[[Z]], %[[N]], %[[I]], %[[I]]
  %z = tgraph.constant dense<0> : tensor<4xi8>
  %a = tgraph.constant dense<-1> : tensor<4xi8>
  %0 = tgraph.and %z, %i : tensor<4xi8>
  %1 = tgraph.and %i, %a : tensor<4xi8>
  %2 = tgraph.or %i, %z : tensor<4xi8>
  %3 = tgraph.or %i, %a : tensor<4xi8>
  %4 = tgraph.xor %i, %i : tensor<4xi8>
  %true = tgraph.constant dense<true> : tensor<4xi1>
  %5 = tgraph.xor %b, %true : tensor<4xi1>
  %6 = tgraph.shl %i, %z : tensor<4xi8>
  %7 = tgraph.shr %i, %z : tensor<4xi8>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi1>, tensor<4xi8>, tensor<4xi8>
}

// a = 2, b = 3, a * b -> 6; totality in the folder.
// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<4xi32>, tensor<3xi8>, tensor<3xi8>, tensor<2xui8>, tensor<2xf32>) {
  // CHECK-DAG: dense<6> : tensor<4xi32>
  %a = tgraph.constant dense<2> : tensor<4xi32>
  %b = tgraph.constant dense<3> : tensor<4xi32>
  %0 = tgraph.mul %a, %b : tensor<4xi32>
  // CHECK-DAG: dense<[-1, -128, -3]> : tensor<3xi8>
  %c = tgraph.constant dense<[5, -128, 7]> : tensor<3xi8>
  %d = tgraph.constant dense<[0, -1, -2]> : tensor<3xi8>
  %1 = tgraph.div %c, %d : tensor<3xi8>
  // CHECK-DAG: dense<[5, 0, -1]> : tensor<3xi8>
  %2 = tgraph.mod %c, %d : tensor<3xi8>
  // CHECK-DAG: dense<[0, 2]> : tensor<2xui8>
  %e = tgraph.constant dense<[255, 129]> : tensor<2xui8>
  %f = tgraph.constant dense<[8, 1]> : tensor<2xui8>
  %3 = tgraph.shl %e, %f : tensor<2xui8>
  // CHECK-DAG: dense<[0x7F800000, 0x7FC00000]> : tensor<2xf32>
  %g = tgraph.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %h = tgraph.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %4 = tgraph.div %g, %h : tensor<2xf32>
  return %0, %1, %2, %3, %4 : tensor<4xi32>, tensor<3xi8>, tensor<3xi8>, tensor<2xui8>, tensor<2xf32>
}

// Weights in a file are never read by a folder.
// CHECK-LABEL: func.func @file
func.func @file() -> tensor<2xf32> {
  // CHECK: tgraph.mul
  %w = tgraph.constant #tgraph.file<"w.bin", 0, 8> : tensor<2xf32>
  %0 = tgraph.mul %w, %w : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// A divisor that is repeated as often as a call says, too.
// CHECK-LABEL: func.func @div_by_repeated
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?xf32
func.func @div_by_repeated(%x: tensor<?xf32, #tgraph.dims<[S]>>) -> (tensor<?xf32, #tgraph.dims<[S]>>, tensor<?xf32, #tgraph.dims<[S]>>) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 9, step = 1>}} {
  // CHECK-DAG: %[[EIGHTH:.*]] = tgraph.constant dense<1.250000e-01> : tensor<1xf32>
  // CHECK-DAG: %[[THREE:.*]] = tgraph.constant dense<3.000000e+00> : tensor<1xf32>
  // CHECK: %[[FACTORS:.*]] = tgraph.expand %[[EIGHTH]]
  // CHECK: tgraph.mul %[[X]], %[[FACTORS]]
  // CHECK: %[[THREES:.*]] = tgraph.expand %[[THREE]]
  // CHECK: tgraph.div %[[X]], %[[THREES]]
  %eight = tgraph.constant dense<8.0> : tensor<1xf32>
  %eights = tgraph.expand %eight : tensor<1xf32> -> tensor<?xf32, #tgraph.dims<[S]>>
  %0 = tgraph.div %x, %eights : tensor<?xf32, #tgraph.dims<[S]>>
  %three = tgraph.constant dense<3.0> : tensor<1xf32>
  %threes = tgraph.expand %three : tensor<1xf32> -> tensor<?xf32, #tgraph.dims<[S]>>
  %1 = tgraph.div %x, %threes : tensor<?xf32, #tgraph.dims<[S]>>
  return %0, %1 : tensor<?xf32, #tgraph.dims<[S]>>, tensor<?xf32, #tgraph.dims<[S]>>
}
