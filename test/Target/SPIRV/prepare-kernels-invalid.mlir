// RUN: tensor-opt %s --spirv-prepare-kernels --split-input-file --verify-diagnostics
// RUN: not tensor-opt %s --spirv-prepare-kernels=environment=metal --split-input-file 2>&1 | FileCheck %s --check-prefix=ENVIRONMENT
// RUN: not tensor-opt %s --threads-to-spirv=environment=metal --split-input-file 2>&1 | FileCheck %s --check-prefix=ENVIRONMENT
// ENVIRONMENT: unknown environment 'metal', expected vulkan or opencl [T0442]

module attributes {gpu.container_module} {
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op has no known_block_size [T0442]}}
  gpu.func @group(%x: memref<64xf32, #gpu.address_space<global>>) kernel {
    gpu.return
  }
}
}

// -----

module attributes {gpu.container_module} {
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op argument 0 has type 'memref<?xf32, #gpu.address_space<global>>', expected a buffer of static size [T0442]}}
  gpu.func @dynamic(%x: memref<?xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
}

// -----

module attributes {gpu.container_module} {
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op argument 1 has type 'f32', expected buffers and then scalars of type i64 [T0442]}}
  gpu.func @scalar(%x: memref<64xf32, #gpu.address_space<global>>, %n: f32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
}

// -----

module attributes {gpu.container_module} {
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op has 17 scalars, expected at most 16 (128 bytes of push constants) [T0441]}}
  gpu.func @many(%x: memref<64xf32, #gpu.address_space<global>>, %s0: i64, %s1: i64, %s2: i64, %s3: i64, %s4: i64,
                 %s5: i64, %s6: i64, %s7: i64, %s8: i64, %s9: i64, %s10: i64, %s11: i64, %s12: i64, %s13: i64,
                 %s14: i64, %s15: i64, %s16: i64) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
}
