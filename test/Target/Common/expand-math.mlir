// RUN: tensor-opt %s --split-input-file --verify-diagnostics --expand-math | FileCheck %s

// CHECK-LABEL: func.func @exp
// CHECK-NOT: math.exp
// CHECK: math.fma
// CHECK: arith.shrsi
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// What is never positive has one bound, and one power of two as a factor.
// CHECK-LABEL: func.func @not_positive
// CHECK: arith.cmpf olt
// CHECK-NOT: arith.cmpf
// CHECK-NOT: arith.shrsi
// CHECK: arith.mulf
// CHECK-NEXT: return
func.func @not_positive(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp %x {ttile.not_positive} : vector<8xf32>
  return %y : vector<8xf32>
}

// -----

// Instructions compute these.
// CHECK-LABEL: func.func @kept
// CHECK: math.sqrt
// CHECK-NEXT: math.floor
// CHECK-NEXT: math.absf
func.func @kept(%x: f64) -> f64 {
  %a = math.sqrt %x : f64
  %b = math.floor %a : f64
  %c = math.absf %b : f64
  return %c : f64
}

// -----

func.func @half(%x: vector<8xf16>) -> vector<8xf16> {
  // expected-error @below {{'math.exp' op has no expansion for 'vector<8xf16>', expected f32 or f64, a scalar or a vector of one dimension [T0405]}}
  %y = math.exp %x : vector<8xf16>
  return %y : vector<8xf16>
}

// -----

func.func @unknown(%x: f32) -> f32 {
  // expected-error @below {{'math.cbrt' op has no expansion for 'f32', expected f32 or f64, a scalar or a vector of one dimension [T0405]}}
  %y = math.cbrt %x : f32
  return %y : f32
}
