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

// Nobody sees denormal numbers beside 1: one power of two is a factor. Beside the least normal number they are seen.
// CHECK-LABEL: func.func @added
// CHECK-NOT: arith.shrsi
// CHECK: arith.addf
// CHECK-NEXT: return
func.func @added(%x: vector<8xf32>) -> vector<8xf32> {
  %one = arith.constant dense<1.0> : vector<8xf32>
  %y = math.exp %x : vector<8xf32>
  %z = arith.addf %y, %one : vector<8xf32>
  return %z : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @added_to_little
// CHECK: arith.shrsi
func.func @added_to_little(%x: vector<8xf32>) -> vector<8xf32> {
  %little = arith.constant dense<1.17549435E-38> : vector<8xf32>
  %y = math.exp %x : vector<8xf32>
  %z = arith.addf %y, %little : vector<8xf32>
  return %z : vector<8xf32>
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

// -----

// With `afn` functions of f32 are shorter: one division, no exponential.
// CHECK-LABEL: func.func @approximate_tanh
// CHECK-NOT: arith.shli
// CHECK: arith.divf
// CHECK-NOT: arith.divf
// CHECK: return
func.func @approximate_tanh(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.tanh %x fastmath<afn> : vector<8xf32>
  return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @approximate_log
// CHECK-NOT: arith.divf
// CHECK: return
func.func @approximate_log(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.log %x fastmath<afn> : vector<8xf32>
  return %y : vector<8xf32>
}

// -----

// f64 has no shorter forms.
// CHECK-LABEL: func.func @approximate_f64
// CHECK: arith.shli
// CHECK: return
func.func @approximate_f64(%x: f64) -> f64 {
  %y = math.tanh %x fastmath<afn> : f64
  return %y : f64
}

// -----

// CHECK-LABEL: func.func @contracted
// CHECK: math.fma %arg0, %arg1, %arg2 fastmath<contract> : f32
// CHECK: %[[NEGATIVE:.*]] = arith.negf %arg2
// CHECK: math.fma %arg0, %arg1, %[[NEGATIVE]] fastmath<contract> : f32
func.func @contracted(%a: f32, %b: f32, %c: f32) -> (f32, f32) {
  %0 = arith.mulf %a, %b fastmath<contract> : f32
  %1 = arith.addf %c, %0 fastmath<contract> : f32
  %2 = arith.mulf %a, %b fastmath<contract> : f32
  %3 = arith.subf %2, %c fastmath<contract> : f32
  return %1, %3 : f32, f32
}

// -----

// Both have to allow it.
// CHECK-LABEL: func.func @not_contracted
// CHECK-NOT: math.fma
// CHECK: return
func.func @not_contracted(%a: f32, %b: f32, %c: f32) -> f32 {
  %0 = arith.mulf %a, %b : f32
  %1 = arith.addf %c, %0 fastmath<contract> : f32
  return %1 : f32
}

// -----

// CHECK-LABEL: func.func @extrema
// CHECK: arith.maxnumf %arg0, %arg1 fastmath<nnan,nsz>
// CHECK: arith.minimumf %arg0, %arg1 fastmath<nnan>
func.func @extrema(%a: f32, %b: f32) -> (f32, f32) {
  %0 = arith.maximumf %a, %b fastmath<nnan,nsz> : f32
  %1 = arith.minimumf %a, %b fastmath<nnan> : f32
  return %0, %1 : f32, f32
}
