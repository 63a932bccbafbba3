// RUN: tensor-translate %s --emit=opencl-c | FileCheck %s
// Programs of independent threads: a launch chooses how many of them make a group, the parts of a program along dimension 2.

module attributes {gpu.container_module} {
gpu.module @kernels {
  // CHECK: // double
  // CHECK-NEXT: // groups of 256 or a divisor, 4 programs
  // CHECK: {{^__kernel$}}
  // CHECK-NEXT: void k_double(
  // CHECK: const ulong thread = get_local_id(0);
  // CHECK-NEXT: const ulong part = get_group_id(2);
  // CHECK-NEXT: const ulong size = get_local_size(0);
  // CHECK-NEXT: const ulong i = group * 256 + (part * size + thread);
  gpu.func @double(%y: memref<1024xi64, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, tw.programs = 4 : i64, tw.num_outputs = 1 : i64, tw.divisible} {
    %c256 = arith.constant 256 : index
    %p = gpu.block_id x
    %local = gpu.thread_id x
    %part = gpu.block_id z
    %size = gpu.block_dim x
    %first = arith.muli %part, %size : index
    %t = arith.addi %first, %local : index
    %row = arith.muli %p, %c256 : index
    %i = arith.addi %row, %t : index
    %0 = arith.index_cast %i : index to i64
    memref.store %0, %y[%i] : memref<1024xi64, #gpu.address_space<global>>
    gpu.return
  }
}
}
