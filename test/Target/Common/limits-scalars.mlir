// Scalars of 304 bytes: more than the push constants that every Vulkan device has.
// RUN: not tensor-translate %s --emit=spirv-asm 2>&1 | FileCheck %s --check-prefix=VULKAN
// RUN: tensor-translate %s --emit=opencl-c | FileCheck %s --check-prefix=OPENCL
// RUN: tensor-translate %s --emit=ptx --target=cuda:sm_80 | FileCheck %s --check-prefix=PTX
// RUN: tensor-translate %s --emit=amdgcn-asm --target=amd:gfx942 | FileCheck %s --check-prefix=AMD
// VULKAN: error: 'gpu.func' op has 38 scalars, expected at most 16 (128 bytes of push constants) [T0441]
// OPENCL: void k_sum(__global uchar *out0_memory, ulong out0_offset,
// OPENCL: long scalar37_value) {
// PTX: .param .u64 sum_param_38
// PTX-NEXT: )
// AMD: .amdhsa_kernarg_size 312
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @sum(%x: memref<64xi64, #gpu.address_space<global>>, %n0: i64, %n1: i64, %n2: i64, %n3: i64, %n4: i64, %n5: i64, %n6: i64, %n7: i64, %n8: i64, %n9: i64, %n10: i64, %n11: i64, %n12: i64, %n13: i64, %n14: i64, %n15: i64, %n16: i64, %n17: i64, %n18: i64, %n19: i64, %n20: i64, %n21: i64, %n22: i64, %n23: i64, %n24: i64, %n25: i64, %n26: i64, %n27: i64, %n28: i64, %n29: i64, %n30: i64, %n31: i64, %n32: i64, %n33: i64, %n34: i64, %n35: i64, %n36: i64, %n37: i64) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tw.programs = 1 : i64, tw.num_outputs = 1 : i64, tw.warps = 2 : i64} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<64xi64, #gpu.address_space<global>>
    %s0 = arith.addi %v, %n0 : i64
    %s1 = arith.addi %s0, %n1 : i64
    %s2 = arith.addi %s1, %n2 : i64
    %s3 = arith.addi %s2, %n3 : i64
    %s4 = arith.addi %s3, %n4 : i64
    %s5 = arith.addi %s4, %n5 : i64
    %s6 = arith.addi %s5, %n6 : i64
    %s7 = arith.addi %s6, %n7 : i64
    %s8 = arith.addi %s7, %n8 : i64
    %s9 = arith.addi %s8, %n9 : i64
    %s10 = arith.addi %s9, %n10 : i64
    %s11 = arith.addi %s10, %n11 : i64
    %s12 = arith.addi %s11, %n12 : i64
    %s13 = arith.addi %s12, %n13 : i64
    %s14 = arith.addi %s13, %n14 : i64
    %s15 = arith.addi %s14, %n15 : i64
    %s16 = arith.addi %s15, %n16 : i64
    %s17 = arith.addi %s16, %n17 : i64
    %s18 = arith.addi %s17, %n18 : i64
    %s19 = arith.addi %s18, %n19 : i64
    %s20 = arith.addi %s19, %n20 : i64
    %s21 = arith.addi %s20, %n21 : i64
    %s22 = arith.addi %s21, %n22 : i64
    %s23 = arith.addi %s22, %n23 : i64
    %s24 = arith.addi %s23, %n24 : i64
    %s25 = arith.addi %s24, %n25 : i64
    %s26 = arith.addi %s25, %n26 : i64
    %s27 = arith.addi %s26, %n27 : i64
    %s28 = arith.addi %s27, %n28 : i64
    %s29 = arith.addi %s28, %n29 : i64
    %s30 = arith.addi %s29, %n30 : i64
    %s31 = arith.addi %s30, %n31 : i64
    %s32 = arith.addi %s31, %n32 : i64
    %s33 = arith.addi %s32, %n33 : i64
    %s34 = arith.addi %s33, %n34 : i64
    %s35 = arith.addi %s34, %n35 : i64
    %s36 = arith.addi %s35, %n36 : i64
    %s37 = arith.addi %s36, %n37 : i64
    memref.store %s37, %x[%t] : memref<64xi64, #gpu.address_space<global>>
    gpu.return
  }
}
}
