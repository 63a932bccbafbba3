// REQUIRES: compiler
// The size of a group is a specialisation constant where threads are independent, else a literal.
// RUN: tensor-opt %s --threads-to-spirv | FileCheck %s
// RUN: tensor-translate %s --emit=spirv-asm | FileCheck %s --check-prefix=ASM
// RUN: tensor-translate %s --emit=spirv -o %t.spv
// RUN: spirv-val --target-env vulkan1.3 %t.spv
// RUN: spirv-val --target-env vulkan1.1 --allow-localsizeid %t.spv

// CHECK: spirv.SpecConstant @double_group spec_id(0) = 256 : i32
// CHECK: spirv.func @double()
// CHECK: %[[PART:.*]] = spirv.CompositeExtract %{{.*}}[2 : i32] : vector<3xi32>
// CHECK: %[[SIZE:.*]] = spirv.mlir.referenceof @double_group : i32
// CHECK: spirv.IMul %[[PART]], %[[SIZE]] : i32
// CHECK-NOT: @sum_group
// CHECK: spirv.SpecConstant @clear_group spec_id(1) = 64 : i32

// ASM-DAG: OpEntryPoint GLCompute %double "double"
// ASM-DAG: OpExecutionModeId %double LocalSizeId %double_group %[[ONE:[a-z0-9_]+]] %[[ONE]]
// ASM-DAG: OpExecutionModeId %clear LocalSizeId %clear_group %[[ONE]] %[[ONE]]
// ASM-DAG: OpExecutionMode %sum LocalSize 64 1 1
// ASM-DAG: OpDecorate %double_group SpecId 0
// ASM-DAG: OpDecorate %clear_group SpecId 1
// ASM-DAG: %double_group = OpSpecConstant %uint 256
// ASM-DAG: %clear_group = OpSpecConstant %uint 64
// ASM-DAG: %[[ONE]] = OpConstant %uint 1
// ASM: %double = OpFunction
// ASM: OpIMul %uint %{{.*}} %double_group
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @double(%x: memref<1024xf32, #gpu.address_space<global>>, %y: memref<1024xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, tw.programs = 4 : i64, tw.num_outputs = 1 : i64, tw.divisible} {
    %p = gpu.block_id x
    %local = gpu.thread_id x
    %part = gpu.block_id z
    %size = gpu.block_dim x
    %first = arith.muli %part, %size : index
    %t = arith.addi %first, %local : index
    %c256 = arith.constant 256 : index
    %row = arith.muli %p, %c256 : index
    %i = arith.addi %row, %t : index
    %0 = memref.load %x[%i] : memref<1024xf32, #gpu.address_space<global>>
    %1 = arith.addf %0, %0 : f32
    memref.store %1, %y[%i] : memref<1024xf32, #gpu.address_space<global>>
    gpu.return
  }
  gpu.func @sum(%x: memref<64xf32, #gpu.address_space<global>>, %y: memref<1xf32, #gpu.address_space<global>>)
      workgroup(%s : memref<64xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.programs = 1 : i64, tw.num_outputs = 1 : i64} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %0 = memref.load %x[%t] : memref<64xf32, #gpu.address_space<global>>
    memref.store %0, %s[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %1 = memref.load %s[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %1, %y[%c0] : memref<1xf32, #gpu.address_space<global>>
    gpu.return
  }
  // No thread asks for its number.
  gpu.func @clear(%y: memref<1xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.programs = 1 : i64, tw.num_outputs = 1 : i64, tw.divisible} {
    %c0 = arith.constant 0 : index
    %f = arith.constant 0.0 : f32
    memref.store %f, %y[%c0] : memref<1xf32, #gpu.address_space<global>>
    gpu.return
  }
}
}
