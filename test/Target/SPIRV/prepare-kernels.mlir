// RUN: tensor-opt %s --spirv-prepare-kernels --split-input-file | FileCheck %s
// RUN: tensor-opt %s --spirv-prepare-kernels=environment=opencl --split-input-file | FileCheck %s --check-prefix=OPENCL

// Buffers get bindings and storage classes, local memory becomes an allocation.
// CHECK: module attributes {{.*}}spirv.target_env = #spirv.target_env<#spirv.vce<v1.3
// CHECK: gpu.func @stage(%[[X:.*]]: memref<64xf32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>},
// CHECK-SAME: memref<64xi8, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 1)>}) kernel
// CHECK-SAME: spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [64, 1, 1]>
// CHECK: %[[S:.*]] = memref.alloc() : memref<64xf32, #spirv.storage_class<Workgroup>>
// CHECK: memref.store %{{.*}}, %[[S]][%{{.*}}] : memref<64xf32, #spirv.storage_class<Workgroup>>
// OPENCL: gpu.func @stage(%{{.*}}: memref<64xf32, #spirv.storage_class<CrossWorkgroup>>, %{{.*}}: memref<64xi8, #spirv.storage_class<CrossWorkgroup>>) kernel
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @stage(%x: memref<64xf32, #gpu.address_space<global>>, %y: memref<64xi8, #gpu.address_space<global>>)
      workgroup(%s : memref<64xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %0 = memref.load %x[%t] : memref<64xf32, #gpu.address_space<global>>
    memref.store %0, %s[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
}

// -----

// An index of 64 bits is saturated where indices have 32; one of 32 bits is taken as it is.
// CHECK-LABEL: gpu.func @gather
// CHECK: %[[WIDE:.*]] = memref.load {{.*}} : memref<64xi64
// CHECK-DAG: %[[LOW:.*]] = arith.constant -2147483648 : i64
// CHECK-DAG: %[[HIGH:.*]] = arith.constant 2147483647 : i64
// CHECK: %[[A:.*]] = arith.maxsi %[[WIDE]], %[[LOW]] : i64
// CHECK: %[[B:.*]] = arith.minsi %[[A]], %[[HIGH]] : i64
// CHECK: arith.index_cast %[[B]] : i64 to index
// CHECK: %[[C:.*]] = arith.minui %[[WIDE]], %{{.*}} : i64
// CHECK: arith.index_castui %[[C]] : i64 to index
// CHECK: %[[NARROW:.*]] = memref.load {{.*}} : memref<64xi32
// CHECK-NEXT: arith.index_cast %[[NARROW]] : i32 to index
// OPENCL-LABEL: gpu.func @gather
// OPENCL-NOT: arith.maxsi
// OPENCL-NOT: arith.minui
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @gather(%x: memref<64xi64, #gpu.address_space<global>>, %y: memref<64xi32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %0 = memref.load %x[%t] : memref<64xi64, #gpu.address_space<global>>
    %i = arith.index_cast %0 : i64 to index
    %j = arith.index_castui %0 : i64 to index
    %1 = memref.load %y[%i] : memref<64xi32, #gpu.address_space<global>>
    %k = arith.index_cast %1 : i32 to index
    memref.store %1, %y[%j] : memref<64xi32, #gpu.address_space<global>>
    memref.store %1, %y[%k] : memref<64xi32, #gpu.address_space<global>>
    gpu.return
  }
}
}

// -----

// Scalars are push constants.
// CHECK: spirv.GlobalVariable @[[PUSH:.*]] : !spirv.ptr<!spirv.struct<(!spirv.array<2 x i64, stride=8> [0])>, PushConstant>
// CHECK: gpu.func @scalars(%{{.*}}: memref<64xi64, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel
// CHECK: spirv.mlir.addressof @[[PUSH]]
// CHECK: spirv.Load "PushConstant"
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @scalars(%x: memref<64xi64, #gpu.address_space<global>>, %n: i64, %m: i64) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %0 = arith.addi %n, %m : i64
    memref.store %0, %x[%t] : memref<64xi64, #gpu.address_space<global>>
    gpu.return
  }
}
}

// -----

// SPIR-V has no arrays without elements.
// CHECK: gpu.func @empty(%{{.*}}: memref<1xf32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>},
// CHECK-SAME: memref<3xf32, #spirv.storage_class<StorageBuffer>>
// OPENCL: gpu.func @empty(%{{.*}}: memref<1xf32, #spirv.storage_class<CrossWorkgroup>>, %{{.*}}: memref<3xf32, #spirv.storage_class<CrossWorkgroup>>) kernel
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @empty(%x: memref<0xf32, #gpu.address_space<global>>, %y: memref<3xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tw.programs = 1 : i64} {
    gpu.return
  }
}
}

// -----

// Signed comparisons of 64 bits are unsigned ones of numbers whose sign is turned, for Vulkan; narrower ones stay.
// CHECK-LABEL: gpu.func @compare
// CHECK-DAG: %[[SIGN:.*]] = arith.constant -9223372036854775808 : i64
// CHECK-DAG: %[[TWO:.*]] = arith.constant -9223372036854775806 : i64
// CHECK: %[[FLIPPED:.*]] = arith.xori %{{.*}}, %[[SIGN]] : i64
// CHECK: arith.cmpi ult, %[[FLIPPED]], %[[TWO]] : i64
// CHECK: arith.cmpi slt, %{{.*}} : i32
// OPENCL-LABEL: gpu.func @compare
// OPENCL: arith.cmpi slt, %{{.*}} : i64
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @compare(%x: memref<64xi32, #gpu.address_space<global>>, %y: memref<64xi1, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.programs = 1 : i64} {
    %two = arith.constant 2 : i64
    %three = arith.constant 3 : i32
    %t = gpu.thread_id x
    %0 = memref.load %x[%t] : memref<64xi32, #gpu.address_space<global>>
    %1 = arith.extsi %0 : i32 to i64
    %2 = arith.cmpi slt, %1, %two : i64
    %3 = arith.cmpi slt, %0, %three : i32
    %4 = arith.andi %2, %3 : i1
    memref.store %4, %y[%t] : memref<64xi1, #gpu.address_space<global>>
    gpu.return
  }
}
}
