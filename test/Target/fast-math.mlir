// Each target has its own instructions where flags allow them, and none without.
// RUN: tensor-translate %s --emit=ptx --target=cuda:sm_80 | FileCheck %s --check-prefix=PTX
// RUN: tensor-translate %s --emit=amdgcn-asm --target=amd:gfx942 | FileCheck %s --check-prefix=AMD
// RUN: tensor-translate %s --emit=opencl-c | FileCheck %s --check-prefix=OPENCL
// RUN: tensor-translate %s --emit=spirv-asm | FileCheck %s --check-prefix=SPIRV
// RUN: tensor-run %s --no-cache --compare=interpreter --quiet
// RUN: tensor-run %s --no-cache --compare=interpreter --quiet --device=cuda-emulated:sm_80

// Whole programs, without attributes in them.
// RUN: sed 's/attributes {.*} {/{/' %s > %t.mlir
// RUN: tensor-translate %t.mlir --emit=ptx --target=cuda:sm_80 | FileCheck %s --check-prefix=EXACT
// RUN: tensor-compile %t.mlir --fast-math=afn --to=kernel | FileCheck %s --check-prefix=FLAG
// RUN: tensor-compile %s --deterministic --to=kernel | FileCheck %s --check-prefix=NONE
// RUN: not tensor-compile %t.mlir --fast-math=quick --to=kernel 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// PTX: ex2.approx.f32
// PTX: {{div|rcp}}.approx.f32
// PTX: lg2.approx.f32
// AMD: v_exp_f32
// AMD: v_rcp_f32
// AMD: v_log_f32
// OPENCL: native_exp2(
// OPENCL: native_log2(
// SPIRV: Exp
// SPIRV: Log
// EXACT-NOT: approx
// FLAG: math.exp {{.*}} fastmath<afn> : f32
// NONE-NOT: fastmath
// UNKNOWN: unknown compile option 'fast-math=quick', known are {{.*}}fast-math=none|fast|reassoc,nnan,ninf,nsz,arcp,contract,afn
func.func @main(%x: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) attributes {tgraph.fastmath = #arith.fastmath<afn,arcp>} {
  %0 = tgraph.sigmoid %x : tensor<64x128xf32>
  %1 = tgraph.exp %x : tensor<64x128xf32>
  %2 = tgraph.log %1 : tensor<64x128xf32>
  return %0, %2 : tensor<64x128xf32>, tensor<64x128xf32>
}
