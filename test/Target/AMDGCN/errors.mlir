// RUN: split-file %s %t
// RUN: not tensor-translate %t/local.mlir --emit=amdgcn-asm --target=amd:gfx1100 2>&1 | FileCheck %t/local.mlir
// RUN: not tensor-translate %t/group.mlir --emit=amdgcn-asm 2>&1 | FileCheck %t/group.mlir
// RUN: not tensor-translate %t/form.mlir --emit=amdgcn-asm 2>&1 | FileCheck %t/form.mlir
// RUN: not tensor-translate %t/scalar.mlir --emit=amdgcn-asm 2>&1 | FileCheck %t/scalar.mlir
// RUN: not tensor-translate %t/buffer.mlir --emit=amdgcn-asm 2>&1 | FileCheck %t/buffer.mlir
// RUN: not tensor-translate %t/lowering.mlir --emit=amdgcn-asm 2>&1 | FileCheck %t/lowering.mlir

//--- local.mlir
// CHECK: local.mlir:4:{{.*}}: error: kernel 'k' needs 65552 bytes of local memory, gfx1100 has 65536 [T0413]
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @k(%x: memref<128xf32, #gpu.address_space<global>>) workgroup(%s : memref<16385xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tw.programs = 1 : i64} {
    gpu.return
  }
}
}

//--- group.mlir
// CHECK: group.mlir:4:{{.*}}: error: kernel 'k' has 2048 threads, gfx942 allows 1024 [T0410]
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @k(%x: memref<128xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 2048, 1, 1>, tw.programs = 1 : i64} {
    gpu.return
  }
}
}

//--- form.mlir
// CHECK: form.mlir:4:{{.*}}: error: kernel 'k' is not in thread form, expected 'kernel', tw.programs and known_block_size = array<i32: threads, 1, 1> [T0410]
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @k(%x: memref<128xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 16, 16, 1>, tw.programs = 1 : i64} {
    gpu.return
  }
}
}

//--- scalar.mlir
// CHECK: scalar.mlir:4:{{.*}}: error: kernel 'k' takes 'i32' after its scalars, expected i64 [T0410]
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @k(%x: memref<128xf32, #gpu.address_space<global>>, %n: i64, %m: i32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tw.programs = 1 : i64} {
    gpu.return
  }
}
}

//--- buffer.mlir
// CHECK: buffer.mlir:4:{{.*}}: error: kernel 'k': a buffer is 'memref<8x16xf32, #gpu.address_space<global>>', expected flat memory of static size in the global space [T0410]
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @k(%x: memref<8x16xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tw.programs = 1 : i64} {
    gpu.return
  }
}
}

//--- lowering.mlir
// CHECK: lowering.mlir:9:{{.*}}: error: kernel 'k': 'ttile.barrier' has no lowering to this chip [T0411]
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @k(%x: memref<128xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %v = arith.constant 1.0 : f32
    memref.store %v, %x[%t] : memref<128xf32, #gpu.address_space<global>>
    ttile.barrier
    gpu.return
  }
}
}
