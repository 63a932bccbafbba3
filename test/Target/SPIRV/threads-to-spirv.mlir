// RUN: tensor-opt %s --threads-to-spirv --split-input-file | FileCheck %s
// RUN: tensor-opt %s --threads-to-spirv=environment=opencl --split-input-file | FileCheck %s --check-prefix=OPENCL

// A tree sum in local memory: barriers, loops, branches, group and thread numbers.
// CHECK: spirv.module @{{.*}} Logical GLSL450 requires #spirv.vce<v1.{{[0-3]}}, [{{.*}}Shader{{.*}}], [{{.*}}]>
// CHECK: spirv.GlobalVariable @{{.*}} : !spirv.ptr<!spirv.struct<(!spirv.array<64 x f32>)>, Workgroup>
// CHECK: spirv.GlobalVariable @sum_arg_0 bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.array<1024 x f32, stride=4> [0])>, StorageBuffer>
// CHECK: spirv.GlobalVariable @sum_arg_1 bind(0, 1)
// CHECK: spirv.func @sum() "None" {
// CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>
// CHECK: spirv.mlir.loop
// CHECK: spirv.mlir.selection
// CHECK: spirv.FAdd {{.*}} {no_contraction} : f32
// CHECK-DAG: spirv.ExecutionMode @sum "SignedZeroInfNanPreserve", 32
// CHECK-DAG: spirv.ExecutionMode @sum "RoundingModeRTE", 32
// CHECK-DAG: spirv.EntryPoint "GLCompute" @sum, @__builtin__LocalInvocationId__, @__builtin__WorkgroupId__
// CHECK-DAG: spirv.ExecutionMode @sum "LocalSize", 64, 1, 1
// CHECK-NOT: gpu.
// OPENCL: spirv.module @{{.*}} Physical64 OpenCL requires
// OPENCL-NOT: no_contraction
// OPENCL-DAG: spirv.EntryPoint "Kernel" @sum
// OPENCL-DAG: spirv.ExecutionMode @sum "ContractionOff"
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @sum(%x: memref<1024xf32, #gpu.address_space<global>>, %y: memref<16xf32, #gpu.address_space<global>>)
      workgroup(%s : memref<64xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.programs = 16 : i64, tw.num_outputs = 1 : i64, tw.warps = 2 : i64} {
    %t = gpu.thread_id x
    %p = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %0 = arith.muli %p, %c64 : index
    %1 = arith.addi %0, %t : index
    %2 = memref.load %x[%1] : memref<1024xf32, #gpu.address_space<global>>
    memref.store %2, %s[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %last = scf.for %i = %c0 to %c6 step %c1 iter_args(%half = %c32) -> (index) {
      %low = arith.cmpi ult, %t, %half : index
      scf.if %low {
        %other = arith.addi %t, %half : index
        %a = memref.load %s[%t] : memref<64xf32, #gpu.address_space<workgroup>>
        %b = memref.load %s[%other] : memref<64xf32, #gpu.address_space<workgroup>>
        %c = arith.addf %a, %b : f32
        memref.store %c, %s[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %next = arith.divui %half, %c2 : index
      scf.yield %next : index
    }
    %first = arith.cmpi eq, %t, %last : index
    scf.if %first {
      %r = memref.load %s[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %r, %y[%p] : memref<16xf32, #gpu.address_space<global>>
    }
    gpu.return
  }
}
}

// -----

// Widths are capabilities. Booleans and bytes are bytes in memory.
// CHECK: requires #spirv.vce<v1.{{[0-3]}}, [
// CHECK-DAG: Int8
// CHECK-DAG: Int64
// CHECK-DAG: Float64
// CHECK-DAG: StorageBuffer8BitAccess
// CHECK-DAG: SPV_KHR_8bit_storage
// CHECK-DAG: SPV_KHR_float_controls
// CHECK: spirv.GL.Fma {{.*}} {no_contraction} : f64
// CHECK: spirv.ExecutionMode @widths "SignedZeroInfNanPreserve", 64
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @widths(%a: memref<64xi8, #gpu.address_space<global>>, %b: memref<64xi64, #gpu.address_space<global>>, %c: memref<64xf64, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %0 = memref.load %a[%t] : memref<64xi8, #gpu.address_space<global>>
    %1 = memref.load %b[%t] : memref<64xi64, #gpu.address_space<global>>
    %2 = memref.load %c[%t] : memref<64xf64, #gpu.address_space<global>>
    %3 = arith.trunci %0 : i8 to i1
    %4 = arith.select %3, %1, %1 : i64
    %5 = arith.extui %3 : i1 to i8
    %6 = math.fma %2, %2, %2 : f64
    memref.store %5, %a[%t] : memref<64xi8, #gpu.address_space<global>>
    memref.store %4, %b[%t] : memref<64xi64, #gpu.address_space<global>>
    memref.store %6, %c[%t] : memref<64xf64, #gpu.address_space<global>>
    gpu.return
  }
}
}

// -----

// A maximum of a NaN is a NaN, whatever the instruction makes of it. Comparisons may not be fused
// with a select to a minimum that drops NaNs. Signed remainders are made of quotients.
// CHECK-LABEL: spirv.func @exact
// CHECK-NOT: spirv.GL.FMax
// CHECK: spirv.FOrdGreaterThanEqual {{.*}} {no_contraction}
// CHECK: spirv.Select
// CHECK: spirv.FOrdLessThan {{.*}} {no_contraction}
// CHECK: spirv.SDiv
// CHECK: spirv.IMul
// CHECK: spirv.ISub
// CHECK-NOT: spirv.SRem
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @exact(%x: memref<64xf32, #gpu.address_space<global>>, %y: memref<64xi32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %c1 = arith.constant 1.0 : f32
    %c7 = arith.constant 7 : i32
    %0 = memref.load %x[%t] : memref<64xf32, #gpu.address_space<global>>
    %1 = arith.maximumf %0, %c1 : f32
    %2 = arith.cmpf olt, %0, %1 : f32
    %3 = arith.select %2, %0, %1 : f32
    memref.store %3, %x[%t] : memref<64xf32, #gpu.address_space<global>>
    %4 = memref.load %y[%t] : memref<64xi32, #gpu.address_space<global>>
    %5 = arith.remsi %4, %c7 : i32
    memref.store %5, %y[%t] : memref<64xi32, #gpu.address_space<global>>
    gpu.return
  }
}
}

// -----

// More programs than a device has groups along x: the grid is folded, groups beyond the last do nothing.
// CHECK-LABEL: spirv.func @folded
// CHECK-DAG: spirv.mlir.addressof @__builtin__WorkgroupId__
// CHECK-DAG: spirv.mlir.addressof @__builtin__NumWorkgroups__
// CHECK: spirv.ULessThan
// CHECK: spirv.mlir.selection
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @folded(%x: memref<100000xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 1, 1, 1>, tw.programs = 100000 : i64} {
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %w = gpu.grid_dim x
    %c0 = arith.constant 0.0 : f32
    %programs = arith.constant 100000 : index
    %0 = arith.muli %by, %w : index
    %id = arith.addi %0, %bx : index
    %in = arith.cmpi ult, %id, %programs : index
    scf.if %in {
      memref.store %c0, %x[%id] : memref<100000xf32, #gpu.address_space<global>>
    }
    gpu.return
  }
}
}
