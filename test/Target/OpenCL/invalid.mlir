// RUN: split-file %s %t
// RUN: not tensor-translate %t/operation.mlir --emit=opencl-c 2>&1 | FileCheck %s --check-prefix=OPERATION
// RUN: not tensor-translate %t/vector.mlir --emit=opencl-c 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: not tensor-translate %t/type.mlir --emit=opencl-c 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not tensor-translate %t/buffer.mlir --emit=opencl-c 2>&1 | FileCheck %s --check-prefix=BUFFER
// RUN: not tensor-translate %t/group.mlir --emit=opencl-c 2>&1 | FileCheck %s --check-prefix=GROUP
// What cannot be printed is one error at it.

//--- operation.mlir
gpu.module @kernels {
  gpu.func @k(%y: memref<64xf32, #gpu.address_space<global>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %y[%t] : memref<64xf32, #gpu.address_space<global>>
    // OPERATION: operation.mlir:6:10: error: 'math.sin' op cannot be written in OpenCL C [T0430]
    %w = math.sin %v : f32
    memref.store %w, %y[%t] : memref<64xf32, #gpu.address_space<global>>
    gpu.return
  }
}

//--- vector.mlir
gpu.module @kernels {
  gpu.func @k(%y: memref<64xf32, #gpu.address_space<global>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    // VECTOR: error: 'vector.load' op cannot be written in OpenCL C: has no type for vector<5xf32> [T0430]
    %v = vector.load %y[%t] : memref<64xf32, #gpu.address_space<global>>, vector<5xf32>
    vector.store %v, %y[%t] : memref<64xf32, #gpu.address_space<global>>, vector<5xf32>
    gpu.return
  }
}

//--- type.mlir
gpu.module @kernels {
  gpu.func @k(%y: memref<64xf32, #gpu.address_space<global>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %y[%t] : memref<64xf32, #gpu.address_space<global>>
    // TYPE: error: 'arith.truncf' op cannot be written in OpenCL C: has no type for bf16 [T0430]
    %w = arith.truncf %v : f32 to bf16
    gpu.return
  }
}

//--- buffer.mlir
gpu.module @kernels {
  // BUFFER: error: 'gpu.func' op cannot be written in OpenCL C: buffer 0 is no flat memory: memref<8x8xf32> [T0430]
  gpu.func @k(%y: memref<8x8xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    gpu.return
  }
}

//--- group.mlir
gpu.module @kernels {
  // GROUP: error: 'gpu.func' op cannot be written in OpenCL C: expected known_block_size [T0430]
  gpu.func @k(%y: memref<8xf32>) kernel {
    gpu.return
  }
}
