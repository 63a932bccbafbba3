// Buffers of elements of 8 to 32 bits that a kernel only reads are texel buffers at their bindings, if that is asked for; others stay.
// RUN: tensor-opt %s --spirv-prepare-kernels=texels=true | FileCheck %s
// RUN: tensor-opt %s --threads-to-spirv=texels=true | FileCheck %s --check-prefix=SPIRV
// RUN: tensor-opt %s --threads-to-spirv | FileCheck %s --check-prefix=PLAIN
// RUN: not tensor-opt %s --threads-to-spirv="environment=opencl texels=true" 2>&1 | FileCheck %s --check-prefix=OPENCL
// OPENCL: error: texels are read in the environment vulkan alone, found opencl [T0442]

// CHECK-DAG: spirv.GlobalVariable @read_texels_0 bind(0, 0) {non_writable} : !spirv.ptr<!spirv.image<f32, Buffer, NoDepth, NonArrayed, SingleSampled, NoSampler, R32f>, UniformConstant>
// CHECK-DAG: spirv.GlobalVariable @read_texels_1 bind(0, 1) {non_writable} : !spirv.ptr<!spirv.image<i32, Buffer, NoDepth, NonArrayed, SingleSampled, NoSampler, R32ui>, UniformConstant>
// CHECK: gpu.func @read(%[[UNUSED:.*]]: memref<64xf32, {{.*}}> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 2)>}, %[[WIDE:.*]]: memref<64xi64, {{.*}}> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 3)>}, %[[BOTH:.*]]: memref<64xf32, {{.*}}> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 4)>}) kernel
// CHECK: %[[J:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[V:.*]] = spirv.ImageRead %{{.*}}, %[[J]] : {{.*}}R32ui>, i32 -> vector<4xi32>
// CHECK: spirv.CompositeExtract %[[V]][0 : i32] : vector<4xi32>
// CHECK: spirv.ImageRead {{.*}}R32f>, i32 -> vector<4xf32>
// CHECK: memref.load %[[WIDE]]
// CHECK: memref.load %[[BOTH]]
// CHECK: memref.store %{{.*}}, %[[BOTH]]

// Two elements of 16 bits are a texel.
// CHECK: gpu.func @narrow
// CHECK: %[[I:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[P:.*]] = arith.shrui %[[I]], %c1_i32 : i32
// CHECK: %[[FOUR:.*]] = spirv.ImageRead %{{.*}}, %[[P]] : {{.*}}R32ui>, i32 -> vector<4xi32>
// CHECK: %[[T:.*]] = spirv.CompositeExtract %[[FOUR]][0 : i32]
// CHECK: %[[ODD:.*]] = arith.andi %[[I]], %c1_i32{{.*}} : i32
// CHECK: %[[BITS:.*]] = arith.muli %[[ODD]], %c16_i32 : i32
// CHECK: %[[M:.*]] = arith.shrui %[[T]], %[[BITS]] : i32
// CHECK: arith.trunci %[[M]] : i32 to i16

// SPIRV: spirv.module {{.*}} requires #spirv.vce<v1.0, [ImageBuffer,
// SPIRV: spirv.GlobalVariable {{.*}} bind(0, 4) {{.*}}StorageBuffer>

// PLAIN-NOT: spirv.image
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @read(%x: memref<64xf32, #gpu.address_space<global>>, %i: memref<64xi32, #gpu.address_space<global>>,
                 %unused: memref<64xf32, #gpu.address_space<global>>, %w: memref<64xi64, #gpu.address_space<global>>,
                 %y: memref<64xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %0 = memref.load %i[%t] : memref<64xi32, #gpu.address_space<global>>
    %1 = arith.index_cast %0 : i32 to index
    %2 = memref.load %x[%1] : memref<64xf32, #gpu.address_space<global>>
    %3 = memref.load %w[%t] : memref<64xi64, #gpu.address_space<global>>
    %4 = arith.sitofp %3 : i64 to f32
    %5 = memref.load %y[%t] : memref<64xf32, #gpu.address_space<global>>
    %6 = arith.addf %2, %4 : f32
    %7 = arith.addf %6, %5 : f32
    memref.store %7, %y[%t] : memref<64xf32, #gpu.address_space<global>>
    gpu.return
  }
  gpu.func @narrow(%x: memref<64xi16, #gpu.address_space<global>>, %y: memref<64xi16, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %0 = memref.load %x[%t] : memref<64xi16, #gpu.address_space<global>>
    memref.store %0, %y[%t] : memref<64xi16, #gpu.address_space<global>>
    gpu.return
  }
}
}
