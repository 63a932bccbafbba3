// Narrow floats are integers in memory and f32 in registers.
// RUN: tensor-opt %s --threads-narrow-floats --canonicalize | FileCheck %s --check-prefixes=CHECK,BITS
// RUN: tensor-opt %s --threads-narrow-floats="f16=true bf16=true" --canonicalize | FileCheck %s --check-prefixes=CHECK,NATIVE
// RUN: tensor-opt %s --threads-narrow-floats="f16=true bf16=true chip=cuda:sm_90" --canonicalize | FileCheck %s --check-prefixes=CHECK,NATIVE,CVT
// RUN: tensor-opt %s --threads-narrow-floats="f16=true chip=amd:gfx950" --canonicalize | FileCheck %s --check-prefix=AMD

#global = #gpu.address_space<global>
#local = #gpu.address_space<workgroup>

module attributes {gpu.container_module} {
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @halve(%{{.*}}: memref<64xi16, {{.*}}>, %{{.*}}: memref<64xi16, {{.*}}>) workgroup(%{{.*}} : memref<8xi8, {{.*}}>)
  gpu.func @halve(%x: memref<64xbf16, #global>, %y: memref<64xf16, #global>) workgroup(%s : memref<8xf8E5M2, #local>) kernel
      attributes {known_block_size = array<i32: 8, 1, 1>, tw.programs = 1 : i64, tw.num_outputs = 1 : i64, tw.warps = 1 : i64} {
    %i = gpu.thread_id x
    %half = arith.constant 5.000000e-01 : bf16
    // BITS: %[[X:.*]] = memref.load %{{.*}} : memref<64xi16
    // BITS: arith.extui %[[X]] : i16 to i32
    // BITS: arith.shli
    // NATIVE: %[[X:.*]] = memref.load %{{.*}} : memref<64xi16
    // NATIVE: %[[N:.*]] = arith.bitcast %[[X]] : i16 to bf16
    // NATIVE: arith.extf %[[N]]{{.*}} : bf16 to f32
    %v = memref.load %x[%i] : memref<64xbf16, #global>
    // CHECK: arith.mulf {{.*}} : f32
    // NATIVE: arith.truncf %{{.*}} : f32 to bf16
    // BITS-NOT: arith.truncf
    %m = arith.mulf %v, %half : bf16
    %w = arith.extf %m : bf16 to f32
    // NATIVE: arith.truncf %{{.*}} : f32 to f16
    %n = arith.truncf %w : f32 to f16
    // CHECK: memref.store %{{.*}} : memref<64xi16
    memref.store %n, %y[%i] : memref<64xf16, #global>
    // CHECK-NOT: f8E5M2
    // CVT: llvm.inline_asm {{.*}}cvt.rn.satfinite.e5m2x2.f32
    // BITS-NOT: llvm.inline_asm
    %b = arith.truncf %w : f32 to f8E5M2
    // CHECK: memref.store %{{.*}} : memref<8xi8
    memref.store %b, %s[%i] : memref<8xf8E5M2, #local>
    // AMD: llvm.call_intrinsic "llvm.amdgcn.cvt.f32.bf8"
    // CVT: llvm.inline_asm {{.*}}cvt.rn.f16x2.e5m2x2
    %e = memref.load %s[%i] : memref<8xf8E5M2, #local>
    %f = arith.extf %e : f8E5M2 to f32
    %g = arith.truncf %f : f32 to f16
    memref.store %g, %y[%i] : memref<64xf16, #global>
    gpu.return
  }
}
}
