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
// CHECK: %[[P:.*]] = arith.shrsi %[[I]], %c1_i32 : i32
// CHECK: %[[FOUR:.*]] = spirv.ImageRead %{{.*}}, %[[P]] : {{.*}}R32ui>, i32 -> vector<4xi32>
// CHECK: %[[T:.*]] = spirv.CompositeExtract %[[FOUR]][0 : i32]
// CHECK: %[[ODD:.*]] = arith.andi %[[I]], %c1_i32{{.*}} : i32
// CHECK: %[[BITS:.*]] = arith.muli %[[ODD]], %c16_i32 : i32
// CHECK: %[[M:.*]] = arith.shrui %[[T]], %[[BITS]] : i32
// CHECK: arith.trunci %[[M]] : i32 to i16

// Four neighbours are a texel, if what their addresses have in common is a multiple of four.
// CHECK: spirv.GlobalVariable @wide_texels_0 bind(0, 0) {{.*}}Rgba32f>
// CHECK: gpu.func @wide
// CHECK: scf.for
// CHECK: %[[W:.*]] = arith.shrsi %{{.*}}, %c2_i32 : i32
// CHECK: %[[ALL:.*]] = spirv.ImageRead %{{.*}}, %[[W]]
// CHECK-NOT: spirv.ImageRead
// CHECK: spirv.CompositeExtract %[[ALL]][0 : i32]
// CHECK: spirv.CompositeExtract %[[ALL]][1 : i32]
// CHECK: spirv.CompositeExtract %[[ALL]][2 : i32]
// CHECK: spirv.CompositeExtract %[[ALL]][3 : i32]

// Here they are not, and there few of them are read.
// CHECK: gpu.func @apart
// CHECK-COUNT-4: spirv.ImageRead {{.*}}R32f>
// CHECK: gpu.func @few
// CHECK-COUNT-2: spirv.ImageRead {{.*}}R32f>

// Eight elements of 16 bits are a texel of four words.
// CHECK: gpu.func @halves
// CHECK: %[[B:.*]] = arith.shrsi %{{.*}}, %c3_i32 : i32
// CHECK: %[[EIGHT:.*]] = spirv.ImageRead %{{.*}}, %[[B]] : {{.*}}Rgba32ui>
// CHECK-NOT: spirv.ImageRead
// CHECK: spirv.CompositeExtract %[[EIGHT]][3 : i32]
// CHECK: %[[LAST:.*]] = spirv.CompositeExtract %[[EIGHT]][3 : i32]
// CHECK: %[[HIGH:.*]] = arith.shrui %[[LAST]], %c16_i32
// CHECK: arith.trunci %[[HIGH]] : i32 to i16

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
  gpu.func @wide(%x: memref<64xf32, #gpu.address_space<global>>, %y: memref<64xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %row = arith.muli %t, %c16 : index
    scf.for %k = %c0 to %c16 step %c4 {
      %i = arith.addi %row, %k : index
      %v = vector.load %x[%i] : memref<64xf32, #gpu.address_space<global>>, vector<2xf32>
      %0 = vector.extract %v[0] : f32 from vector<2xf32>
      %1 = vector.extract %v[1] : f32 from vector<2xf32>
      %c2 = arith.constant 2 : index
      %k2 = arith.addi %k, %c2 : index
      %i2 = arith.addi %k2, %row : index
      %2 = memref.load %x[%i2] : memref<64xf32, #gpu.address_space<global>>
      %i3 = arith.addi %i2, %c1 : index
      %3 = memref.load %x[%i3] : memref<64xf32, #gpu.address_space<global>>
      %4 = vector.from_elements %0, %1, %2, %3 : vector<4xf32>
      vector.store %4, %y[%i] : memref<64xf32, #gpu.address_space<global>>, vector<4xf32>
    }
    gpu.return
  }
  gpu.func @apart(%x: memref<64xf32, #gpu.address_space<global>>, %y: memref<64xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %v = vector.load %x[%t] : memref<64xf32, #gpu.address_space<global>>, vector<4xf32>
    vector.store %v, %y[%t] : memref<64xf32, #gpu.address_space<global>>, vector<4xf32>
    gpu.return
  }
  gpu.func @few(%x: memref<64xf32, #gpu.address_space<global>>, %y: memref<64xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %c4 = arith.constant 4 : index
    %i = arith.muli %t, %c4 : index
    %v = vector.load %x[%i] : memref<64xf32, #gpu.address_space<global>>, vector<2xf32>
    vector.store %v, %y[%i] : memref<64xf32, #gpu.address_space<global>>, vector<2xf32>
    gpu.return
  }
  gpu.func @halves(%x: memref<64xi16, #gpu.address_space<global>>, %y: memref<64xi16, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %c8 = arith.constant 8 : index
    %i = arith.muli %t, %c8 : index
    %v = vector.load %x[%i] : memref<64xi16, #gpu.address_space<global>>, vector<8xi16>
    vector.store %v, %y[%i] : memref<64xi16, #gpu.address_space<global>>, vector<8xi16>
    gpu.return
  }
}
}
