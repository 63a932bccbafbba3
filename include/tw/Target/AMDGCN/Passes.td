// Passes of the AMDGCN target.
#ifndef TW_TARGET_AMDGCN_PASSES_TD
#define TW_TARGET_AMDGCN_PASSES_TD

include "mlir/Pass/PassBase.td"

def ThreadsToROCDLPass : Pass<"threads-to-rocdl", "::mlir::gpu::GPUModuleOp"> {
  let summary = "turns kernels in thread form into functions of the llvm and rocdl dialects";
  let description = [{
    Buffers become bare pointers in memory space 1, local memory in space 3. The number of groups is read
    from the dispatch packet, all else from registers: no device library is called.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"gfx942\"", "The chip, as LLVM names it: gfx90a, gfx1100 ...">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

#endif
