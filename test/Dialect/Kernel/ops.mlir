// RUN: tensor-opt %s | tensor-opt | FileCheck %s
// RUN: tensor-opt %s --mlir-print-op-generic | tensor-opt | FileCheck %s

// CHECK-LABEL: func.func @gemm
func.func @gemm(%x: tensor<4x16xf32>, %w: tensor<16x8xf32>) -> tensor<4x8xf32> {
  // CHECK: tkernel.kernel @gemm (%i : 4, %j : 8, %k : 16) reads(%[[A:.*]] = %{{.*}} : tensor<4x16xf32>, %[[B:.*]] = %{{.*}} : tensor<16x8xf32>) -> tensor<4x8xf32>
  // CHECK-SAME: schedule = #tkernel.schedule<[split j = [jo, ji 8], grid [i], order [k], tile [ji], unroll k 4, edge j mask]>
  %y = tkernel.kernel @gemm (%i : 4, %j : 8, %k : 16) reads(%a = %x : tensor<4x16xf32>, %b = %w : tensor<16x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 8], grid [i], order [k], tile [ji], unroll k 4, edge j mask]>} {
    // CHECK: tkernel.load %[[A]][%i, %k] : tensor<4x16xf32>
    %0 = tkernel.load %a[%i, %k] : tensor<4x16xf32>
    %1 = tkernel.load %b[%k, %j] : tensor<16x8xf32>
    // CHECK: tkernel.contract %{{.*}}, %{{.*}} over(%k) : f32
    %2 = tkernel.contract %0, %1 over (%k) : f32
    // CHECK: tkernel.store %{{.*}}, 0[%i, %j] : f32
    tkernel.store %2, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @narrow
func.func @narrow(%x: tensor<4x16xbf16>, %w: tensor<16x8xbf16>, %u: tensor<4x16xui8>, %s: tensor<16x8xi8>) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
  // CHECK: schedule = #tkernel.schedule<[split k = [ko, kg 2], tile [kg, j], contract kg dot]>
  %y = tkernel.kernel (%i : 4, %j : 8, %k : 16) reads(%a = %x : tensor<4x16xbf16>, %b = %w : tensor<16x8xbf16>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[split k = [ko, kg 2], tile [kg, j], contract kg dot]>, alone = #tkernel<contract k dot>} {
    %0 = tkernel.load %a[%i, %k] : tensor<4x16xbf16>
    %1 = tkernel.load %b[%k, %j] : tensor<16x8xbf16>
    // CHECK: tkernel.contract %{{.*}}, %{{.*}} over(%k) {name = "c"} : bf16, bf16 -> f32
    %2 = tkernel.contract %0, %1 over (%k) {name = "c"} : bf16, bf16 -> f32
    tkernel.store %2, 0[%i, %j] : f32
  }
  %z = tkernel.kernel (%i : 4, %j : 8, %k : 16) reads(%a = %u : tensor<4x16xui8>, %b = %s : tensor<16x8xi8>) -> tensor<4x8xi32> {
    %0 = tkernel.load %a[%i, %k] : tensor<4x16xui8>
    %1 = tkernel.load %b[%k, %j] : tensor<16x8xi8>
    // CHECK: tkernel.contract %{{.*}}, %{{.*}} over(%k) lhs_unsigned : i8, i8 -> i32
    %2 = tkernel.contract %0, %1 over (%k) lhs_unsigned : i8, i8 -> i32
    tkernel.store %2, 0[%i, %j] : i32
  }
  return %y, %z : tensor<4x8xf32>, tensor<4x8xi32>
}

// CHECK-LABEL: func.func @infinite_border
func.func @infinite_border(%x: tensor<6xf64>, %t: tensor<6xbf16>) -> (tensor<6xf64>, tensor<6xbf16>) {
  %y:2 = tkernel.kernel (%i : 6) reads(%a = %x : tensor<6xf64>, %b = %t : tensor<6xbf16>) -> (tensor<6xf64>, tensor<6xbf16>) {
    // CHECK: tkernel.load %{{.*}}[%i - 1] else 0xFFF0000000000000 : tensor<6xf64>
    %v = tkernel.load %a[%i - 1] else 0xFFF0000000000000 : tensor<6xf64>
    // CHECK: tkernel.load %{{.*}}[%i - 1] else 0xFF80 : tensor<6xbf16>
    %w = tkernel.load %b[%i - 1] else 0xFF80 : tensor<6xbf16>
    tkernel.store %v, 0[%i] : f64
    tkernel.store %w, 1[%i] : bf16
  }
  return %y#0, %y#1 : tensor<6xf64>, tensor<6xbf16>
}

// CHECK-LABEL: func.func @access
func.func @access(%x: tensor<6x4xf32>, %t: tensor<9xui8>) -> (tensor<16x2xf32>, tensor<4xui8>) {
  %y:2 = tkernel.kernel (%a0 : 4, %a1 : 4, %b : 2) reads(%in = %x : tensor<6x4xf32>, %u = %t : tensor<9xui8>) -> (tensor<16x2xf32>, tensor<4xui8>) {
    // CHECK: tkernel.load %{{.*}}[%a1 * 2 + %b - 1, %a0] else 0.000000e+00 : tensor<6x4xf32>
    %v = tkernel.load %in[2 * %a1 + %b - 1, %a0] else 0.0 : tensor<6x4xf32>
    // CHECK: tkernel.load %{{.*}}[%a1 - 1, %a0] else -2.500000e+00 : tensor<6x4xf32>
    %n = tkernel.load %in[%a1 - 1, %a0] else -2.5 : tensor<6x4xf32>
    // CHECK: tkernel.load %{{.*}}[%a1, %a0] else 0xFF800000 : tensor<6x4xf32>
    %w = tkernel.load %in[%a1, %a0] else 0xFF800000 : tensor<6x4xf32>
    // CHECK: tkernel.load %{{.*}} through #tview.map<affine_map<(d0, d1, d2) -> (d0, d1)>, [(d0, d1, d2) : (d2 ge 1) else 1.000000e+00 : f32]>(%a0, %a1, %b) : tensor<6x4xf32>
    %g = tkernel.load %in through #tview.map<affine_map<(d0, d1, d2) -> (d0, d1)>, [(d0, d1, d2) : (d2 ge 1) else 1.0 : f32]>(%a0, %a1, %b) : tensor<6x4xf32>
    %s = arith.addf %v, %w : f32
    %r = arith.addf %s, %g : f32
    // CHECK: tkernel.load %{{.*}}[%a0] else 7 : tensor<9xui8>
    %p = tkernel.load %u[%a0] else 7 : tensor<9xui8>
    // CHECK: tkernel.store %{{.*}}, 0[%a0 * 4 + %a1, %b] : f32
    tkernel.store %r, 0[4 * %a0 + %a1, %b] : f32
    tkernel.store %p, 1[%a0] : i8
  }
  return %y#0, %y#1 : tensor<16x2xf32>, tensor<4xui8>
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>, tensor<4x8xf32>) {
  %y:3 = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>, tensor<4x8xf32>) {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %p = arith.index_cast %j : index to i64
    // CHECK: tkernel.reduce %{{.*}}, %{{.*}} over (%j) identities [0xFF800000 : f32, 9223372036854775807] : f32, i64 {
    %m:2 = tkernel.reduce %v, %p over (%j) identities [0xFF800000 : f32, 9223372036854775807 : i64] : f32, i64 {
    ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
      %c = arith.cmpf ogt, %v0, %a0 : f32
      %r0 = arith.select %c, %v0, %a0 : f32
      %r1 = arith.select %c, %v1, %a1 : i64
      tkernel.yield %r0, %r1 : f32, i64
    }
    // CHECK: tkernel.reduce maximumf %{{.*}} over (%j) {name = "m"} : f32
    %n = tkernel.reduce maximumf %v over (%j) {name = "m"} : f32
    // CHECK: tkernel.scan addf %{{.*}} over %j exclusive reverse : f32
    %s = tkernel.scan addf %v over %j exclusive reverse : f32
    // CHECK: tkernel.scan %{{.*}}, %{{.*}} over %j exclusive reverse identities [0xFF800000 : f32, 9223372036854775807] {name = "t"} : f32, i64 {
    // CHECK: tkernel.yield %{{.*}}, %{{.*}} : f32, i64
    %t:2 = tkernel.scan %s, %p over %j exclusive reverse identities [0xFF800000 : f32, 9223372036854775807 : i64] {name = "t"} : f32, i64 {
    ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
      %c = arith.cmpf ogt, %v0, %a0 : f32
      %r0 = arith.select %c, %v0, %a0 : f32
      %r1 = arith.select %c, %v1, %a1 : i64
      tkernel.yield %r0, %r1 : f32, i64
    }
    tkernel.store %n, 0[%i] : f32
    tkernel.store %m#1, 1[%i] : i64
    tkernel.store %t#0, 2[%i, %j] : f32
  }
  return %y#0, %y#1, %y#2 : tensor<4xf32>, tensor<4xi64>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @every_primitive
func.func @every_primitive() attributes {
  // CHECK-SAME: a = #tkernel<split m = [mo, mi 8, mr 12]>
  a = #tkernel<split m = [mo, mi 8, mr 12]>, b = #tkernel<keep e result>, c = #tkernel<unroll r>,
  // CHECK-SAME: edge m peel, edge n pad]>
  // CHECK-SAME: g = #tkernel.schedule<[merge p = [n, h, w], widen s = [a, b], warps 8, stage a at grid local, stage b at k local, online k, skip j, stream 0, stream 1 from 4096, prefetch a, prefetch b 1024]>
  // CHECK-SAME: h = [#tkernel<merge p = [n, h]>, #tkernel<warps 4 loading 1 walking 132>, #tkernel<stage a at k local>]
  d = #tkernel.schedule<[order [no, k], grid [b, mo], tile [mr, nr], keep e register, edge m peel, edge n pad]>,
  g = #tkernel.schedule<[merge p = [n, h, w], widen s = [a, b], warps 8, stage a at grid local, stage b at k local, online k, skip j, stream 0, stream 1 from 4096, prefetch a, prefetch b 1024]>,
  h = [#tkernel<merge p = [n, h]>, #tkernel<warps 4 loading 1 walking 132>, #tkernel<stage a at k local>]
} { return }

// CHECK-LABEL: func.func @sizes
// CHECK: tkernel.kernel (%i : 2 * S + 1 <= 9, %j : 4) reads(%{{.*}} : tensor<9x4xf32, #tview.sizes<[2 * S + 1, 4]>>) -> tensor<9x4xi64, #tview.sizes<[2 * S + 1, 4]>> {
// CHECK: tkernel.size <[2 * S + 1]>
func.func @sizes(%x: tensor<9x4xf32, #tview.sizes<[2 * S + 1, 4]>>) -> tensor<9x4xi64, #tview.sizes<[2 * S + 1, 4]>> {
  %0 = tkernel.kernel (%i : 2 * S + 1 <= 9, %j : 4) reads(%a = %x : tensor<9x4xf32, #tview.sizes<[2 * S + 1, 4]>>) -> tensor<9x4xi64, #tview.sizes<[2 * S + 1, 4]>> {
    %1 = tkernel.size <[2 * S + 1]>
    %2 = arith.index_cast %1 : index to i64
    tkernel.store %2, 0[%i, %j] : i64
  }
  return %0 : tensor<9x4xi64, #tview.sizes<[2 * S + 1, 4]>>
}
