// RUN: tensor-opt %s --host-functions=set=x86-64 | FileCheck %s

// CHECK-LABEL: func.func @functions
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
func.func @functions(%x: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
  %0 = math.exp %x : vector<16xf32>
  %1 = math.erf %x : vector<16xf32>
  %2 = math.tanh %x : vector<16xf32>
  return %0, %1, %2 : vector<16xf32>, vector<16xf32>, vector<16xf32>
}

// What is never positive has one bound. Below the lower one lanes are zero without being scaled.
// CHECK-LABEL: func.func @bounds
// CHECK: arith.cmpf ogt
// CHECK: %[[LESS:.*]] = arith.cmpf olt
// CHECK: %[[DROPPED:.*]] = llvm.bitcast %[[LESS]] : vector<16xi1> to i16
// CHECK: %[[LANES:.*]] = llvm.xor %[[DROPPED]], %{{.*}} : i16
// CHECK: "llvm.x86.avx512.mask.scalef.ps.512"(%{{.*}}, %{{.*}}, %{{.*}}, %[[LANES]], %{{.*}})
// CHECK: arith.cmpf olt
// CHECK-NOT: arith.cmpf
// CHECK: "llvm.x86.avx512.mask.scalef.ps.512"
func.func @bounds(%x: vector<16xf32>, %y: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %0 = math.exp %x : vector<16xf32>
  %1 = math.exp %y {ttile.not_positive} : vector<16xf32>
  return %0, %1 : vector<16xf32>, vector<16xf32>
}

// vrangeps is right for zeros of both signs; NaN is chosen apart.
// CHECK-LABEL: func.func @maximum
// CHECK-SAME: %[[A:.*]]: vector<16xf32>, %[[B:.*]]: vector<16xf32>
// CHECK: %[[GREATER:.*]] = llvm.mlir.constant(5 : i32)
// CHECK: %[[M:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%[[A]], %[[B]], %[[GREATER]], %[[A]], %{{.*}}, %{{.*}})
// CHECK: %[[N:.*]] = arith.cmpf uno, %[[A]], %[[B]]
// CHECK: arith.select %[[N]], %{{.*}}, %[[M]]
func.func @maximum(%a: vector<16xf32>, %b: vector<16xf32>) -> vector<16xf32> {
  %0 = arith.maximumf %a, %b : vector<16xf32>
  return %0 : vector<16xf32>
}

// Other widths and types are left to expand-math.
// CHECK-LABEL: func.func @others
// CHECK: math.exp %{{.*}} : vector<8xf32>
// CHECK: math.exp %{{.*}} : vector<16xf64>
// CHECK: math.erf %{{.*}} : f32
func.func @others(%x: vector<8xf32>, %y: vector<16xf64>, %z: f32) -> (vector<8xf32>, vector<16xf64>, f32) {
  %0 = math.exp %x : vector<8xf32>
  %1 = math.exp %y : vector<16xf64>
  %2 = math.erf %z : f32
  return %0, %1, %2 : vector<8xf32>, vector<16xf64>, f32
}
