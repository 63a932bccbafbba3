// RUN: tensor-opt %s --pass-pipeline='builtin.module(func.func(kernel-multiply-bytes))' | FileCheck %s
// RUN: tensor-opt %s --pass-pipeline='builtin.module(func.func(kernel-multiply-bytes{only-signed=true}))' | FileCheck %s --check-prefix=SIGNED
// RUN: tensor-opt %s --pass-pipeline='builtin.module(func.func(kernel-multiply-bytes{floats=f8E5M2 wider=bf16}))' | FileCheck %s --check-prefix=FLOATS
// RUN: tensor-opt %s --pass-pipeline='builtin.module(func.func(kernel-multiply-bytes{integers=false short-floats=f8E5M2 wider=bf16}))' | FileCheck %s --check-prefixes=SHORT,NONE
// RUN: not tensor-opt %s --pass-pipeline='builtin.module(func.func(kernel-multiply-bytes{floats=i8}))' 2>&1 | FileCheck %s --check-prefix=TYPES
// TYPES: error: kernel-multiply-bytes: expected types of floats, found 'i8'  [T0602]

// An unsigned byte by a signed one, as QDQ networks have them.
// CHECK-LABEL: func.func @unsigned
// CHECK: %[[X:.*]] = tkernel.load {{.*}} : tensor<32x64xui8>
// CHECK-NEXT: %[[W:.*]] = tkernel.load {{.*}} : tensor<64x16xi8>
// CHECK-NEXT: %[[S:.*]] = tkernel.contract %[[X]], %[[W]] over(%k) lhs_unsigned : i8, i8 -> i32
// CHECK-NEXT: %[[F:.*]] = arith.sitofp %[[S]] : i32 to f32
// CHECK-NEXT: tkernel.store %[[F]]
// NONE-LABEL: func.func @unsigned
// NONE: tkernel.contract {{.*}} : f32
// SIGNED-LABEL: func.func @unsigned
// SIGNED: tkernel.contract {{.*}} : f32
func.func @unsigned(%x: tensor<32x64xui8>, %w: tensor<64x16xi8>) -> tensor<32x16xf32> {
  %y = tkernel.kernel (%m : 32, %n : 16, %k : 64) reads(%a = %x : tensor<32x64xui8>, %b = %w : tensor<64x16xi8>) -> tensor<32x16xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xui8>
    %1 = tkernel.load %b[%k, %n] : tensor<64x16xi8>
    %2 = arith.extui %0 : i8 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.sitofp %1 : i8 to f32
    %5 = tkernel.contract %3, %4 over (%k) : f32
    tkernel.store %5, 0[%m, %n] : f32
  }
  return %y : tensor<32x16xf32>
}

// 128 less is a signed byte.
// CHECK-LABEL: func.func @shifted
// CHECK: %[[C:.*]] = arith.constant -128 : i8
// CHECK-NEXT: %[[X:.*]] = arith.xori %{{.*}}, %[[C]] : i8
// CHECK-NEXT: tkernel.contract %[[X]], %{{.*}} over(%k) : i8, i8 -> i32
// SIGNED-LABEL: func.func @shifted
// SIGNED: tkernel.contract {{.*}} : i8, i8 -> i32
func.func @shifted(%x: tensor<32x64xui8>, %w: tensor<64x16xi8>) -> tensor<32x16xf32> {
  %y = tkernel.kernel (%m : 32, %n : 16, %k : 64) reads(%a = %x : tensor<32x64xui8>, %b = %w : tensor<64x16xi8>) -> tensor<32x16xf32> {
    %z = arith.constant 128 : i32
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xui8>
    %1 = tkernel.load %b[%k, %n] : tensor<64x16xi8>
    %2 = arith.extui %0 : i8 to i32
    %d = arith.subi %2, %z : i32
    %3 = arith.sitofp %d : i32 to f32
    %4 = arith.sitofp %1 : i8 to f32
    %5 = tkernel.contract %3, %4 over (%k) : f32
    tkernel.store %5, 0[%m, %n] : f32
  }
  return %y : tensor<32x16xf32>
}

// Of integers, as QLinearMatMul has them.
// CHECK-LABEL: func.func @integers
// CHECK: %[[X:.*]] = arith.xori {{.*}} : i8
// CHECK-NEXT: %[[S:.*]] = tkernel.contract %[[X]], %{{.*}} over(%k) rhs_unsigned : i8, i8 -> i32
// CHECK-NEXT: tkernel.store %[[S]]
func.func @integers(%x: tensor<32x64xui8>, %w: tensor<64x16xui8>) -> tensor<32x16xi32> {
  %y = tkernel.kernel (%m : 32, %n : 16, %k : 64) reads(%a = %x : tensor<32x64xui8>, %b = %w : tensor<64x16xui8>) -> tensor<32x16xi32> {
    %z = arith.constant 128 : i32
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xui8>
    %1 = tkernel.load %b[%k, %n] : tensor<64x16xui8>
    %2 = arith.extui %0 : i8 to i32
    %3 = arith.subi %2, %z : i32
    %4 = arith.extui %1 : i8 to i32
    %5 = tkernel.contract %3, %4 over (%k) : i32
    tkernel.store %5, 0[%m, %n] : i32
  }
  return %y : tensor<32x16xi32>
}

// What is padded with zeros.
// CHECK-LABEL: func.func @padded
// CHECK: %[[X:.*]] = arith.xori {{.*}} : i8
// CHECK: %[[P:.*]] = arith.select %{{.*}}, %[[X]], %{{.*}} : i8
// CHECK-NEXT: tkernel.contract %[[P]], %{{.*}} over(%k) : i8, i8 -> i32
func.func @padded(%x: tensor<32x64xui8>, %w: tensor<64x16xi8>) -> tensor<32x16xf32> {
  %y = tkernel.kernel (%m : 32, %n : 16, %k : 64) reads(%a = %x : tensor<32x64xui8>, %b = %w : tensor<64x16xi8>) -> tensor<32x16xf32> {
    %z = arith.constant 128 : i32
    %o = arith.constant 0.0 : f32
    %c1 = arith.constant 1 : index
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xui8>
    %1 = tkernel.load %b[%k, %n] : tensor<64x16xi8>
    %2 = arith.extui %0 : i8 to i32
    %d = arith.subi %2, %z : i32
    %3 = arith.sitofp %d : i32 to f32
    %i = arith.cmpi sge, %m, %c1 : index
    %p = arith.select %i, %3, %o : f32
    %4 = arith.sitofp %1 : i8 to f32
    %5 = tkernel.contract %p, %4 over (%k) : f32
    tkernel.store %5, 0[%m, %n] : f32
  }
  return %y : tensor<32x16xf32>
}

// Other zero points, few rows, and sums that have no room in 32 bits.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: tkernel.contract {{.*}} : f32
// CHECK-NOT: i32
func.func @others(%x: tensor<32x64xui8>, %w: tensor<64x16xi8>, %v: tensor<8x64xi8>, %l: tensor<16x140000xi8>) -> (tensor<32x16xf32>, tensor<8x16xf32>, tensor<16x16xf32>) {
  %p = tkernel.kernel (%m : 32, %n : 16, %k : 64) reads(%a = %x : tensor<32x64xui8>, %b = %w : tensor<64x16xi8>) -> tensor<32x16xf32> {
    %z = arith.constant 127 : i16
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xui8>
    %1 = tkernel.load %b[%k, %n] : tensor<64x16xi8>
    %2 = arith.extui %0 : i8 to i16
    %d = arith.subi %2, %z : i16
    %3 = arith.sitofp %d : i16 to f32
    %4 = arith.sitofp %1 : i8 to f32
    %5 = tkernel.contract %3, %4 over (%k) : f32
    tkernel.store %5, 0[%m, %n] : f32
  }
  %q = tkernel.kernel (%m : 8, %n : 16, %k : 64) reads(%a = %v : tensor<8x64xi8>, %b = %w : tensor<64x16xi8>) -> tensor<8x16xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<8x64xi8>
    %1 = tkernel.load %b[%k, %n] : tensor<64x16xi8>
    %3 = arith.sitofp %0 : i8 to f32
    %4 = arith.sitofp %1 : i8 to f32
    %5 = tkernel.contract %3, %4 over (%k) : f32
    tkernel.store %5, 0[%m, %n] : f32
  }
  %r = tkernel.kernel (%m : 16, %n : 16, %k : 140000) reads(%a = %l : tensor<16x140000xi8>, %b = %l : tensor<16x140000xi8>) -> tensor<16x16xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<16x140000xi8>
    %1 = tkernel.load %b[%n, %k] : tensor<16x140000xi8>
    %3 = arith.sitofp %0 : i8 to f32
    %4 = arith.sitofp %1 : i8 to f32
    %5 = tkernel.contract %3, %4 over (%k) : f32
    tkernel.store %5, 0[%m, %n] : f32
  }
  return %p, %q, %r : tensor<32x16xf32>, tensor<8x16xf32>, tensor<16x16xf32>
}

// A constant that holds bytes becomes one of bytes, signed where it can be.
// CHECK-LABEL: func.func @constant
// CHECK: %[[C:.*]] = tgraph.constant dense<{{.*}}> : tensor<1x16xi8>
// CHECK: tkernel.kernel {{.*}} reads(%[[A:.*]] = %{{.*}} : tensor<32x64xui8>, %[[B:.*]] = %[[C]] : tensor<1x16xi8>)
// CHECK: %[[W:.*]] = tkernel.load %[[B]][0, %n] : tensor<1x16xi8>
// CHECK: tkernel.contract %{{.*}}, %[[W]] over(%k) lhs_unsigned : i8, i8 -> i32
// SIGNED-LABEL: func.func @constant
// SIGNED: tkernel.contract {{.*}} : f32
func.func @constant(%x: tensor<32x64xui8>) -> tensor<32x16xf32> {
  %w = tgraph.constant dense<[[-128.0, 127.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0]]> : tensor<1x16xf32>
  %y = tkernel.kernel (%m : 32, %n : 16, %k : 64) reads(%a = %x : tensor<32x64xui8>, %b = %w : tensor<1x16xf32>) -> tensor<32x16xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xui8>
    %1 = tkernel.load %b[0, %n] : tensor<1x16xf32>
    %2 = arith.uitofp %0 : i8 to f32
    %5 = tkernel.contract %2, %1 over (%k) : f32
    tkernel.store %5, 0[%m, %n] : f32
  }
  return %y : tensor<32x16xf32>
}

// One that holds others does not.
// CHECK-LABEL: func.func @halves
// CHECK: tkernel.contract {{.*}} : f32
func.func @halves(%x: tensor<32x64xui8>) -> tensor<32x16xf32> {
  %w = tgraph.constant dense<[[-128.0, 127.5, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0]]> : tensor<1x16xf32>
  %y = tkernel.kernel (%m : 32, %n : 16, %k : 64) reads(%a = %x : tensor<32x64xui8>, %b = %w : tensor<1x16xf32>) -> tensor<32x16xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xui8>
    %1 = tkernel.load %b[0, %n] : tensor<1x16xf32>
    %2 = arith.uitofp %0 : i8 to f32
    %5 = tkernel.contract %2, %1 over (%k) : f32
    tkernel.store %5, 0[%m, %n] : f32
  }
  return %y : tensor<32x16xf32>
}

// What another kernel makes of bytes, it makes as bytes.
// CHECK-LABEL: func.func @made
// CHECK: %[[MADE:.*]] = tkernel.kernel {{.*}} -> tensor<64x16xi8>
// CHECK-NEXT: tkernel.load
// CHECK-NEXT: arith.constant -128 : i8
// CHECK-NEXT: %[[V:.*]] = arith.xori
// CHECK-NEXT: tkernel.store %[[V]], 0[%i, %j] : i8
// CHECK: reads({{.*}} = %[[MADE]] : tensor<64x16xi8>)
// CHECK: tkernel.contract {{.*}} : i8, i8 -> i32
// SIGNED-LABEL: func.func @made
// SIGNED: tkernel.contract {{.*}} : i8, i8 -> i32
func.func @made(%x: tensor<32x64xi8>, %c: tensor<64x16xui8>) -> tensor<32x16xf32> {
  %w = tkernel.kernel (%i : 64, %j : 16) reads(%a = %c : tensor<64x16xui8>) -> tensor<64x16xf32> {
    %z = arith.constant 128 : i32
    %0 = tkernel.load %a[%i, %j] : tensor<64x16xui8>
    %1 = arith.extui %0 : i8 to i32
    %2 = arith.subi %1, %z : i32
    %3 = arith.sitofp %2 : i32 to f32
    tkernel.store %3, 0[%i, %j] : f32
  }
  %y = tkernel.kernel (%m : 32, %n : 16, %k : 64) reads(%a = %x : tensor<32x64xi8>, %b = %w : tensor<64x16xf32>) -> tensor<32x16xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xi8>
    %1 = tkernel.load %b[%k, %n] : tensor<64x16xf32>
    %2 = arith.sitofp %0 : i8 to f32
    %5 = tkernel.contract %2, %1 over (%k) : f32
    tkernel.store %5, 0[%m, %n] : f32
  }
  return %y : tensor<32x16xf32>
}

// A constant that holds bytes under a choice stays what it is: the choice would be lost.
// CHECK-LABEL: func.func @chosen
// CHECK: arith.select
// CHECK: tkernel.contract {{.*}} : f32
// SIGNED-LABEL: func.func @chosen
// SIGNED: arith.select
func.func @chosen(%x: tensor<32x64xi8>, %m: tensor<64x16xi1>) -> (tensor<32x16xf32>, tensor<64x16xf32>) {
  %w = tgraph.constant dense<[[-128.0, 127.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0]]> : tensor<1x16xf32>
  %y:2 = tkernel.kernel (%m0 : 32, %n : 16, %k : 64) reads(%a = %x : tensor<32x64xi8>, %b = %w : tensor<1x16xf32>, %c = %m : tensor<64x16xi1>) -> (tensor<32x16xf32>, tensor<64x16xf32>) {
    %z = arith.constant 0.0 : f32
    %0 = tkernel.load %a[%m0, %k] : tensor<32x64xi8>
    %1 = tkernel.load %b[0, %n] : tensor<1x16xf32>
    %2 = tkernel.load %c[%k, %n] : tensor<64x16xi1>
    %3 = arith.select %2, %1, %z : f32
    %4 = arith.sitofp %0 : i8 to f32
    %5 = tkernel.contract %4, %3 over (%k) : f32
    tkernel.store %5, 0[%m0, %n] : f32
    tkernel.store %3, 1[%k, %n] : f32
  }
  return %y#0, %y#1 : tensor<32x16xf32>, tensor<64x16xf32>
}

// Floats of 8 bits, of which units have sums of f32, or of fewer bits, which this program does not allow.
// FLOATS-LABEL: func.func @floats
// FLOATS: tkernel.contract %{{.*}}, %{{.*}} over(%k) : f8E5M2, f8E5M2 -> f32
// FLOATS-NEXT: tkernel.store
// SHORT-LABEL: func.func @floats
// SHORT: %[[X:.*]] = arith.truncf %{{.*}} : f32 to bf16
// SHORT: %[[W:.*]] = arith.truncf %{{.*}} : f32 to bf16
// SHORT-NEXT: tkernel.contract %[[X]], %[[W]] over(%k) : bf16, bf16 -> f32
// CHECK-LABEL: func.func @floats
// CHECK: tkernel.contract {{.*}} : f32
func.func @floats(%x: tensor<32x64xf8E5M2>, %w: tensor<64x16xf8E5M2>) -> tensor<32x16xf32> {
  %y = tkernel.kernel (%m : 32, %n : 16, %k : 64) reads(%a = %x : tensor<32x64xf8E5M2>, %b = %w : tensor<64x16xf8E5M2>) -> tensor<32x16xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xf8E5M2>
    %1 = tkernel.load %b[%k, %n] : tensor<64x16xf8E5M2>
    %2 = arith.extf %0 : f8E5M2 to f32
    %3 = arith.extf %1 : f8E5M2 to f32
    %4 = tkernel.contract %2, %3 over (%k) : f32
    tkernel.store %4, 0[%m, %n] : f32
  }
  return %y : tensor<32x16xf32>
}

// Where the sum allows it, it has fewer bits; a scale moves behind it where that is allowed.
// SHORT-LABEL: func.func @short_sums
// SHORT: %[[S:.*]] = tkernel.contract %{{.*}}, %{{.*}} over(%k) {{{.*}}} : f8E5M2, f8E5M2 -> f32
// SHORT-NEXT: arith.mulf %[[S]], %{{.*}} fastmath<fast>
func.func @short_sums(%x: tensor<32x64xf8E5M2>, %w: tensor<64x16xf8E5M2>, %s: tensor<16xf32>) -> tensor<32x16xf32> {
  %y = tkernel.kernel (%m : 32, %n : 16, %k : 64) reads(%a = %x : tensor<32x64xf8E5M2>, %b = %w : tensor<64x16xf8E5M2>, %c = %s : tensor<16xf32>) -> tensor<32x16xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xf8E5M2>
    %1 = tkernel.load %b[%k, %n] : tensor<64x16xf8E5M2>
    %2 = arith.extf %0 : f8E5M2 to f32
    %3 = arith.extf %1 : f8E5M2 to f32
    %4 = tkernel.load %c[%n] : tensor<16xf32>
    %5 = arith.mulf %3, %4 fastmath<fast> : f32
    %6 = tkernel.contract %2, %5 over (%k) {fastmath = #arith.fastmath<fast>} : f32
    tkernel.store %6, 0[%m, %n] : f32
  }
  return %y : tensor<32x16xf32>
}

// Of two types, and by a constant that holds what the other one does. One that holds other numbers stays.
// FLOATS-LABEL: func.func @mixed_floats
// FLOATS: tkernel.contract %{{.*}}, %{{.*}} over(%k) : bf16, bf16 -> f32
// FLOATS: tgraph.constant dense<1.500000e+00> : tensor<64x16xf8E5M2>
// FLOATS: tkernel.contract %{{.*}}, %{{.*}} over(%k) : f8E5M2, f8E5M2 -> f32
// FLOATS: tkernel.contract %{{.*}}, %{{.*}} over(%k) : f32
func.func @mixed_floats(%x: tensor<32x64xf8E5M2>, %w: tensor<64x16xf8E4M3FN>) -> (tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>) {
  %y = tkernel.kernel (%m : 32, %n : 16, %k : 64) reads(%a = %x : tensor<32x64xf8E5M2>, %b = %w : tensor<64x16xf8E4M3FN>) -> tensor<32x16xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xf8E5M2>
    %1 = tkernel.load %b[%k, %n] : tensor<64x16xf8E4M3FN>
    %2 = arith.extf %0 : f8E5M2 to f32
    %3 = arith.extf %1 : f8E4M3FN to f32
    %4 = tkernel.contract %2, %3 over (%k) : f32
    tkernel.store %4, 0[%m, %n] : f32
  }
  %c = tgraph.constant dense<1.5> : tensor<64x16xf32>
  %z = tkernel.kernel (%m : 32, %n : 16, %k : 64) reads(%a = %x : tensor<32x64xf8E5M2>, %b = %c : tensor<64x16xf32>) -> tensor<32x16xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xf8E5M2>
    %1 = tkernel.load %b[%k, %n] : tensor<64x16xf32>
    %2 = arith.extf %0 : f8E5M2 to f32
    %4 = tkernel.contract %2, %1 over (%k) : f32
    tkernel.store %4, 0[%m, %n] : f32
  }
  %d = tgraph.constant dense<1.1> : tensor<64x16xf32>
  %u = tkernel.kernel (%m : 32, %n : 16, %k : 64) reads(%a = %x : tensor<32x64xf8E5M2>, %b = %d : tensor<64x16xf32>) -> tensor<32x16xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xf8E5M2>
    %1 = tkernel.load %b[%k, %n] : tensor<64x16xf32>
    %2 = arith.extf %0 : f8E5M2 to f32
    %4 = tkernel.contract %2, %1 over (%k) : f32
    tkernel.store %4, 0[%m, %n] : f32
  }
  return %y, %z, %u : tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>
}

// What another kernel makes of such floats, padded.
// FLOATS-LABEL: func.func @made_floats
// FLOATS: %[[MADE:.*]] = tkernel.kernel {{.*}} -> tensor<32x64xf8E5M2>
// FLOATS: tkernel.kernel {{.*}}reads({{.*}}%[[MADE]] : tensor<32x64xf8E5M2>
// FLOATS: tkernel.contract %{{.*}}, %{{.*}} over(%k) : f8E5M2, f8E5M2 -> f32
func.func @made_floats(%x: tensor<32x64xf32>, %w: tensor<64x16xf8E5M2>) -> tensor<32x16xf32> {
  %q = tkernel.kernel (%m : 32, %k : 64) reads(%a = %x : tensor<32x64xf32>) -> tensor<32x64xf32> {
    %z = arith.constant 0.0 : f32
    %c1 = arith.constant 1 : index
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xf32>
    %1 = arith.truncf %0 : f32 to f8E5M2
    %2 = arith.extf %1 : f8E5M2 to f32
    %3 = arith.cmpi uge, %k, %c1 : index
    %4 = arith.select %3, %2, %z : f32
    tkernel.store %4, 0[%m, %k] : f32
  }
  %y = tkernel.kernel (%m : 32, %n : 16, %k : 64) reads(%a = %q : tensor<32x64xf32>, %b = %w : tensor<64x16xf8E5M2>) -> tensor<32x16xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<32x64xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<64x16xf8E5M2>
    %3 = arith.extf %1 : f8E5M2 to f32
    %4 = tkernel.contract %0, %3 over (%k) : f32
    tkernel.store %4, 0[%m, %n] : f32
  }
  return %y : tensor<32x16xf32>
}
