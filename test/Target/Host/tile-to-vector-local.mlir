// RUN: tensor-opt %s --tile-to-vector --verify-diagnostics

ttile.func @staged(%x: memref<4xf32>) results(%y: memref<4xf32>) warps(1) {
  // expected-error @+1 {{a program of one thread has no local memory: leave 'stage' out of schedules for the host [T0421]}}
  %s = ttile.alloc : memref<4xf32, #gpu.address_space<workgroup>>
  ttile.return
}
