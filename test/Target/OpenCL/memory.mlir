// RUN: tensor-translate %s --emit=opencl-c | FileCheck %s
// A kernel's head, buffers, local memory, vectors, barriers.

// CHECK: // Kernels of Tensorwright in OpenCL C.
// CHECK-NEXT: #pragma OPENCL FP_CONTRACT OFF
// CHECK-NOT: cl_khr_fp64
!global = memref<1024xf32, #gpu.address_space<global>>
!local = memref<256xf32, #gpu.address_space<workgroup>>
module attributes {gpu.container_module} {
gpu.module @kernels {
  // CHECK: // reverse from net.onnx:7:1, flip_2
  // CHECK-NEXT: // groups of 256, 4 programs
  // CHECK-NEXT: // in0: 1024 x f32
  // CHECK-NEXT: // out0: 1024 x f32, written
  // CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(256, 1, 1)))
  // CHECK-NEXT: void k_reverse(__global uchar *in0_memory, ulong in0_offset,
  // CHECK-NEXT: __global uchar *out0_memory, ulong out0_offset) {
  // CHECK-NEXT: __global const float *restrict in0 = (__global const float *)(in0_memory + in0_offset);
  // CHECK-NEXT: __global float *restrict out0 = (__global float *)(out0_memory + out0_offset);
  // CHECK-NEXT: __local float local0[256];
  // CHECK-NEXT: const ulong thread = get_local_id(0);
  // CHECK-NEXT: const ulong group = get_group_id(0);
  // CHECK-NEXT: const float in0_1 = in0[group * 256 + thread];
  // CHECK-NEXT: local0[thread] = in0_1;
  // CHECK-NEXT: barrier(CLK_LOCAL_MEM_FENCE);
  // CHECK-NEXT: const float local0_1 = local0[255 - thread];
  // CHECK-NEXT: out0[group * 256 + thread] = local0_1;
  // CHECK-NEXT: }
  gpu.func @reverse(%x: !global, %y: !global) workgroup(%s : !local) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, tw.programs = 4 : i64, tw.num_outputs = 1 : i64} {
    %c256 = arith.constant 256 : index
    %c255 = arith.constant 255 : index
    %t = gpu.thread_id x
    %g = gpu.block_id x
    %o = arith.muli %g, %c256 : index
    %i = arith.addi %o, %t : index
    %v = memref.load %x[%i] : !global
    memref.store %v, %s[%t] : !local
    gpu.barrier
    %m = arith.subi %c255, %t : index
    %w = memref.load %s[%m] : !local
    %o1 = arith.muli %g, %c256 : index
    %i1 = arith.addi %o1, %t : index
    memref.store %w, %y[%i1] : !global
    gpu.return
  } loc("flip_2"("folder/net.onnx":7:1))

  // CHECK: void k_vectors(
  // CHECK: __local float local0[256] __attribute__((aligned(16)));
  // CHECK: const float4 in0_1 = *(__global const float4 *)(in0 + thread * 4);
  // CHECK-NEXT: const float2 in0_2 = vload2(0, in0 + thread);
  // CHECK-NEXT: *(__local float4 *)(local0 + thread * 4) = in0_1;
  // CHECK: vstore4(((float4)(in0_1.s3, in0_1.s2, in0_2.s1, 0.5f)), 0, out0 + thread * 4);
  // CHECK-NEXT: vstore2(((float2)(in0_1.s0)), 0, out0 + thread * 2);
  // CHECK: vstore2({{.*}}, 0, out0 + thread);
  gpu.func @vectors(%x: !global, %y: !global) workgroup(%s : !local) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.num_outputs = 1 : i64} {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %half = arith.constant 0.5 : f32
    %t = gpu.thread_id x
    %i = arith.muli %t, %c4 : index
    %v = vector.load %x[%i] {alignment = 16 : i64} : !global, vector<4xf32>
    %w = vector.load %x[%t] {alignment = 4 : i64} : !global, vector<2xf32>
    %j = arith.muli %t, %c4 : index
    vector.store %v, %s[%j] {alignment = 16 : i64} : !local, vector<4xf32>
    %a = vector.extract %v[3] : f32 from vector<4xf32>
    %b = vector.extract %v[2] : f32 from vector<4xf32>
    %c = vector.extract %w[1] : f32 from vector<2xf32>
    %u = vector.from_elements %a, %b, %c, %half : vector<4xf32>
    %k = arith.muli %t, %c4 : index
    vector.store %u, %y[%k] : !global, vector<4xf32>
    %d = vector.extract %v[0] : f32 from vector<4xf32>
    %p = vector.broadcast %d : f32 to vector<2xf32>
    %l = arith.muli %t, %c2 : index
    vector.store %p, %y[%l] : !global, vector<2xf32>
    %ones = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
    vector.store %ones, %y[%t] : !global, vector<2xf32>
    gpu.return
  }

  // What is written and read again needs a fence of the global memory too.
  // CHECK: void k_scan(__global uchar *out0_memory, ulong out0_offset,
  // CHECK: long scalar_value) {
  // CHECK: const ulong scalar = scalar_value;
  // CHECK: barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  gpu.func @scan(%y: memref<64xi8, #gpu.address_space<global>>, %n: i64) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.num_outputs = 1 : i64} {
    %t = gpu.thread_id x
    %v = memref.load %y[%t] : memref<64xi8, #gpu.address_space<global>>
    gpu.barrier
    %b = arith.trunci %n : i64 to i8
    %w = arith.addi %v, %b : i8
    memref.store %w, %y[%t] : memref<64xi8, #gpu.address_space<global>>
    gpu.return
  }
  // A choice is one operand of the sum that reaches a vector, and of its own narrow type in a call.
  // CHECK: void k_choose(
  // CHECK: *(__global const float4 *)(in0 + (thread <= 3 ? thread * 4 : 0UL));
  // CHECK: (uchar)max(in1_1, (uchar)(thread <= 3 ? in1_1 : (uchar)7));
  gpu.func @choose(%x: !global, %b: memref<64xi8, #gpu.address_space<global>>, %y: !global,
                   %z: memref<64xi8, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.num_outputs = 2 : i64} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %seven = arith.constant 7 : i8
    %t = gpu.thread_id x
    %n = memref.load %b[%t] : memref<64xi8, #gpu.address_space<global>>
    %near = arith.cmpi ule, %t, %c3 : index
    %i = arith.muli %t, %c4 : index
    %j = arith.select %near, %i, %c0 : index
    %v = vector.load %x[%j] {alignment = 16 : i64} : !global, vector<4xf32>
    vector.store %v, %y[%c0] {alignment = 16 : i64} : !global, vector<4xf32>
    %inside = arith.cmpi ule, %t, %c3 : index
    %m = arith.select %inside, %n, %seven : i8
    %w = arith.maxui %n, %m : i8
    memref.store %w, %z[%t] : memref<64xi8, #gpu.address_space<global>>
    gpu.return
  }
}
}
