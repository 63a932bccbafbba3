// RUN: not tensor-translate %s --emit=ptx --target=cuda:sm_8x 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tensor-translate %s --emit=ptx --target=cuda:sm_60 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not tensor-translate %s --emit=ptx --target=cuda:sm_1200 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not tensor-translate %s --emit=ptxx 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not tensor-translate %s --emit=amdgcn-asm --target=cuda 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not tensor-translate %s --emit=ptx 2>&1 | FileCheck %s --check-prefix=CALL

// CHIP: error: unknown chip 'sm_8x' of target 'cuda'; did you mean 'sm_80'? Known are sm_80, sm_70, sm_72, sm_75, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a [T0505]
// OLD: error: unknown chip 'sm_60' of target 'cuda'
// FAR: error: unknown chip 'sm_1200' of target 'cuda'
// FORM: error: no target has a form 'ptxx'; did you mean 'ptx'? Known are {{.*}}amdgcn-asm, {{.*}}ptx{{.*}} [T0509]
// OTHER: error: target 'cuda' has no form 'amdgcn-asm', known are ptx [T0509]
// CALL: errors.mlir:[[#@LINE+8]]:{{.*}}: error: kernel 'calls': 'func.call' calls 'wave', kernels call no functions [T0412]

module attributes {gpu.container_module} {
gpu.module @kernels {
  func.func private @wave(f32) -> f32
  gpu.func @calls(%x: memref<128xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tw.programs = 1 : i64, tw.num_outputs = 1 : i64, tw.warps = 4 : i64} {
    %zero = arith.constant 0.0 : f32
    %v = func.call @wave(%zero) : (f32) -> f32
    gpu.return
  }
}
}
