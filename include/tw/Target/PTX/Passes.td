// Passes of the PTX target.
#ifndef TW_TARGET_PTX_PASSES_TD
#define TW_TARGET_PTX_PASSES_TD

include "mlir/Pass/PassBase.td"

def ThreadsToNVVMPass : Pass<"threads-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "turns kernels in thread form into functions of the llvm and nvvm dialects";
  let description = [{
    Buffers become bare pointers in memory space 1, local memory in space 3; the group's size is a
    constant. Math must have been expanded and converted before: there is no libdevice to call.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif
