// RUN: tensor-opt %s --pass-pipeline="builtin.module(gpu.module(threads-place-local-memory{static-bytes=49152},threads-to-nvvm))" | FileCheck %s

#global = #gpu.address_space<global>
#local = #gpu.address_space<workgroup>

// CHECK: llvm.mlir.global external @local() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.mlir.global internal @[[TURN:.*]]() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x f32>

module attributes {gpu.container_module} {
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @turn(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>)
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.maxntid = array<i32: 256, 1, 1>
  gpu.func @turn(%x: memref<4096xf32, #global>, %y: memref<4096xf32, #global>)
      workgroup(%s : memref<256xf32, #local>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, tw.programs = 16 : i64, tw.num_outputs = 1 : i64, tw.warps = 8 : i64} {
    %c255 = arith.constant 255 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    // CHECK: nvvm.read.ptx.sreg.tid.x range <i32, 0, 256>
    %t = gpu.thread_id x
    // CHECK: nvvm.read.ptx.sreg.ctaid.x
    %p = gpu.block_id x
    %base = arith.muli %p, %c256 : index
    %i = arith.addi %base, %t : index
    %v = memref.load %x[%i] : memref<4096xf32, #global>
    // CHECK: llvm.intr.maximum
    %r = arith.maximumf %v, %zero : f32
    // CHECK: llvm.store {{.*}} !llvm.ptr<3>
    memref.store %r, %s[%t] : memref<256xf32, #local>
    // CHECK: nvvm.barrier
    gpu.barrier
    %o = arith.subi %c255, %t : index
    %w = memref.load %s[%o] : memref<256xf32, #local>
    %width = arith.constant 32 : i32
    %one = arith.constant 1 : i32
    %bits = arith.bitcast %w : f32 to i32
    // CHECK: nvvm.shfl.sync bfly
    %sh, %ok = gpu.shuffle xor %bits, %one, %width : i32
    %sw = arith.bitcast %sh : i32 to f32
    %sum = arith.addf %sw, %w : f32
    memref.store %sum, %y[%i] : memref<4096xf32, #global>
    gpu.return
  }

  // Above 48 KB together, both buffers lie in the array that the launch sizes, one after the other.
  // CHECK-LABEL: llvm.func @large(%arg0: !llvm.ptr<1>)
  // CHECK-DAG: llvm.mlir.addressof @local : !llvm.ptr<3>
  // CHECK-DAG: llvm.mlir.constant(40000 : index) : i64
  gpu.func @large(%y: memref<128xf32, #global>)
      workgroup(%a : memref<10000xf32, #local>, %b : memref<10000xf32, #local>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tw.programs = 1 : i64, tw.num_outputs = 1 : i64, tw.warps = 4 : i64} {
    %t = gpu.thread_id x
    %v = memref.load %a[%t] : memref<10000xf32, #local>
    %w = memref.load %b[%t] : memref<10000xf32, #local>
    %sum = arith.addf %v, %w : f32
    memref.store %sum, %y[%t] : memref<128xf32, #global>
    gpu.return
  }
}
}
