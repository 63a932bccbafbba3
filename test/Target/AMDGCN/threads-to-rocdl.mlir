// RUN: tensor-opt %s --pass-pipeline="builtin.module(gpu.module(threads-place-local-memory,threads-to-rocdl{chip=gfx942}))" | FileCheck %s
// RUN: not tensor-opt %s --pass-pipeline="builtin.module(gpu.module(threads-to-rocdl{chip=fx9}))" 2>&1 | FileCheck %s --check-prefix=CHIP

// CHIP: error: unknown chip 'fx9', expected gfx and its number, as gfx942 [T0505]

#global = #gpu.address_space<global>
#local = #gpu.address_space<workgroup>

// CHECK: llvm.mlir.global internal @{{.*}}() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<16384 x f32>

module attributes {gpu.container_module} {
gpu.module @kernels {
  // Local memory is static whatever its size.
  // CHECK-LABEL: llvm.func @turn(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>)
  // CHECK-SAME: rocdl.kernel
  // CHECK-SAME: rocdl.reqd_work_group_size = array<i32: 256, 1, 1>
  gpu.func @turn(%x: memref<4096xf32, #global>, %y: memref<4096xf32, #global>)
      workgroup(%s : memref<16384xf32, #local>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, tw.programs = 16 : i64, tw.num_outputs = 1 : i64, tw.warps = 4 : i64} {
    %c256 = arith.constant 256 : index
    // CHECK: rocdl.workitem.id.x
    %t = gpu.thread_id x
    // CHECK: rocdl.workgroup.id.x
    %p = gpu.block_id x
    // The number of groups along x: the threads of the grid, from the packet, by those of a group.
    // CHECK: %[[PACKET:.+]] = llvm.call_intrinsic "llvm.amdgcn.dispatch.ptr"() : () -> !llvm.ptr<4>
    // CHECK: %[[AT:.*]] = llvm.getelementptr %[[PACKET]][12]
    // CHECK: %[[THREADS:.*]] = llvm.load %[[AT]] {alignment = 4 : i64}
    // CHECK: llvm.udiv %[[THREADS]]
    %n = gpu.grid_dim x
    %q = arith.addi %p, %n : index
    %base = arith.muli %q, %c256 : index
    %i = arith.addi %base, %t : index
    %v = memref.load %x[%i] : memref<4096xf32, #global>
    memref.store %v, %s[%t] : memref<16384xf32, #local>
    // CHECK: rocdl.barrier
    gpu.barrier
    %w = memref.load %s[%c256] : memref<16384xf32, #local>
    %width = arith.constant 64 : i32
    %one = arith.constant 32 : i32
    %bits = arith.bitcast %w : f32 to i32
    // CHECK: rocdl.ds_bpermute
    %sh, %ok = gpu.shuffle xor %bits, %one, %width : i32
    %sw = arith.bitcast %sh : i32 to f32
    memref.store %sw, %y[%i] : memref<4096xf32, #global>
    gpu.return
  }
}
}
