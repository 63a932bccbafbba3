// RUN: tensor-opt %s --split-input-file --verify-diagnostics --tile-to-threads="max-threads=64 local-bytes=64"

// expected-error @+1 {{'ttile.func' op has 128 threads, the target has 64 in a workgroup [T0420]}}
ttile.func @threads() warps(4) {
  ttile.return
}

// -----

// expected-error @+1 {{'ttile.func' op needs 80 bytes of local memory, the target has 64 [T0421]}}
ttile.func @local() warps(1) {
  %s = ttile.alloc : memref<17xf32, #gpu.address_space<workgroup>>
  ttile.return
}

// -----

ttile.func @layout() warps(1) {
  // expected-error @+1 {{'arith.constant' op expected tiles with layouts, found 'tensor<4xf32>' [T0422]}}
  %0 = arith.constant dense<0.0> : tensor<4xf32>
  ttile.return
}

// -----

#a = #ttile.layout<4, atom 4 {reg [(1), (2)]}>
ttile.func @lanes() warps(1) {
  // expected-error @+1 {{'arith.constant' op expected layouts over 32 lanes and 1 warps, found 1 and 1 [T0422]}}
  %0 = arith.constant dense<0.0> : tensor<4xf32, #a>
  ttile.return
}

// -----

#a = #ttile.layout<4, atom 4 {reg [(1)], lane [(3), (0), (0), (0), (0)]}>
ttile.func @swizzle() warps(1) {
  // expected-error @+1 {{expected layouts of bits that do not overlap, found #ttile.layout<4, atom 4 {reg [(1)], lane [(3), (0), (0), (0), (0)]}> [T0422]}}
  %0 = arith.constant dense<0.0> : tensor<4xf32, #a>
  ttile.return
}

// -----

#a = #ttile.layout<32, atom 32 {lane [(1), (2), (4), (8), (16)]}>
#b = #ttile.layout<1, atom 1 {lane [(0), (0), (0), (0), (0)]}>
ttile.func @reduce() warps(1) {
  %0 = arith.constant dense<0.0> : tensor<32xf32, #a>
  // expected-error @+1 {{'ttile.reduce' op combines elements of several threads: expected tile-expand-exchanges to run before [T0422]}}
  %1 = ttile.reduce addf %0 dims [0] : tensor<32xf32, #a> -> tensor<1xf32, #b>
  ttile.return
}

// -----

#a = #ttile.layout<32, atom 32 {lane [(1), (2), (4), (8), (16)]}>
#b = #ttile.layout<32, atom 32 {lane [(2), (1), (4), (8), (16)]}>
ttile.func @convert() warps(1) {
  %0 = arith.constant dense<0.0> : tensor<32xf32, #a>
  // expected-error @+1 {{'ttile.convert' op moves elements between threads: expected tile-expand-exchanges to run before [T0422]}}
  %1 = ttile.convert %0 : tensor<32xf32, #a> -> tensor<32xf32, #b>
  ttile.return
}

// -----

#a = #ttile.layout<32x2, atom 32x2 {reg [(0, 1)], lane [(1, 0), (2, 0), (4, 0), (8, 0), (16, 0)]}>
#b = #ttile.layout<32x1, atom 32x1 {lane [(2, 0), (1, 0), (4, 0), (8, 0), (16, 0)]}>
ttile.func @broadcast() warps(1) {
  %0 = arith.constant dense<0.0> : tensor<32x1xf32, #b>
  // expected-error @+1 {{expected a source whose layout is a slice of the result's}}
  %1 = ttile.broadcast %0 : tensor<32x1xf32, #b> -> tensor<32x2xf32, #a>
  ttile.return
}

// -----

ttile.func @op(%x: memref<4xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'memref.load' op expected an operation of tile form [T0422]}}
  %0 = memref.load %x[%c0] : memref<4xf32>
  ttile.return
}
