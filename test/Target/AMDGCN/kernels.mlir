// RUN: tensor-translate %s --emit=amdgcn-asm --target=amd:gfx942 | FileCheck %s --check-prefixes=CHECK,WAVE64,GFX942
// RUN: tensor-translate %s --emit=amdgcn-asm --target=amd:gfx90a | FileCheck %s --check-prefixes=CHECK,WAVE64
// RUN: tensor-translate %s --emit=amdgcn-asm --target=amd:gfx950 | FileCheck %s --check-prefixes=CHECK,WAVE64
// RUN: tensor-translate %s --emit=amdgcn-asm --target=amd:gfx1030 | FileCheck %s --check-prefixes=CHECK,WAVE32
// RUN: tensor-translate %s --emit=amdgcn-asm --target=amd:gfx1100 | FileCheck %s --check-prefixes=CHECK,WAVE32
// RUN: tensor-translate %s --emit=amdgcn-asm --target=amd:gfx1201 | FileCheck %s --check-prefixes=CHECK,WAVE32
// RUN: tensor-translate %s --emit=amdgcn-asm --target=amd:gfx1100-wave64 | FileCheck %s --check-prefixes=CHECK,WAVE64
// RUN: not tensor-translate %s --emit=amdgcn-asm --target=amd:gfx94x 2>&1 | FileCheck %s --check-prefix=CHIP

// CHIP: error: unknown chip 'gfx94x' of target 'amd'; did you mean 'gfx942'? Known are gfx942, gfx90a, gfx950, gfx1030, gfx1030-wave64, gfx1100, gfx1100-wave64, gfx1201, gfx1201-wave64 [T0505]

#global = #gpu.address_space<global>
#local = #gpu.address_space<workgroup>

// GFX942: .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
// GFX942: .amdhsa_code_object_version 5

module attributes {gpu.container_module} {
gpu.module @kernels {
  // CHECK-LABEL: {{^}}scale:
  // CHECK: global_load_{{(dwordx4|b128)}}
  // CHECK-NOT: {{v_fma|v_pk_fma|v_mad_f|v_mac_f}}
  // CHECK: global_store_{{(dwordx4|b128)}}
  gpu.func @scale(%x: memref<4096xf32, #global>, %y: memref<4096xf32, #global>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tw.programs = 8 : i64, tw.num_outputs = 1 : i64, tw.warps = 2 : i64} {
    %c4 = arith.constant 4 : index
    %c512 = arith.constant 512 : index
    %half = arith.constant dense<0.5> : vector<4xf32>
    %one = arith.constant dense<1.0> : vector<4xf32>
    %t = gpu.thread_id x
    %p = gpu.block_id x
    %row = arith.muli %p, %c512 : index
    %column = arith.muli %t, %c4 : index
    %i = arith.addi %row, %column : index
    %v = vector.load %x[%i] {alignment = 16 : i64} : memref<4096xf32, #global>, vector<4xf32>
    %m = arith.mulf %v, %half : vector<4xf32>
    %a = arith.addf %m, %one : vector<4xf32>
    vector.store %a, %y[%i] {alignment = 16 : i64} : memref<4096xf32, #global>, vector<4xf32>
    gpu.return
  }

  // CHECK-LABEL: {{^}}math:
  // CHECK-NOT: s_swappc
  // CHECK: s_endpgm
  gpu.func @math(%x: memref<128xf32, #global>, %y: memref<128xf32, #global>)
      workgroup(%s : memref<128xf32, #local>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tw.programs = 1 : i64, tw.num_outputs = 1 : i64, tw.warps = 2 : i64} {
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32, #global>
    %q = math.sqrt %v : f32
    %f = math.floor %q : f32
    %r = math.roundeven %q : f32
    %d = arith.divf %f, %r : f32
    %m = arith.maximumf %d, %q : f32
    %e = math.tanh %m : f32
    memref.store %e, %s[%t] : memref<128xf32, #local>
    gpu.barrier
    %o = arith.subi %c127, %t : index
    %w = memref.load %s[%o] : memref<128xf32, #local>
    memref.store %w, %y[%t] : memref<128xf32, #global>
    gpu.return
  }
}
}

// CHECK: .amdgpu_metadata
// CHECK: .max_flat_workgroup_size: 128
// CHECK: .name: scale
// CHECK: .private_segment_fixed_size: 0
// WAVE32: .wavefront_size: 32
// WAVE64: .wavefront_size: 64
// CHECK: .group_segment_fixed_size: 512
// CHECK: .name: math
