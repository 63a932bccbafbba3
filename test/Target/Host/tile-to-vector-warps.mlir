// RUN: tensor-opt %s --tile-to-vector --verify-diagnostics

// expected-error @below {{'k' has 8 warps, a program of the host is one thread: leave 'warps' out of its schedule [T0420]}}
ttile.func @k(%x : memref<16xf32>) results(%y : memref<16xf32>) warps(8) {
  ttile.return
}
