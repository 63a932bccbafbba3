// Passes of the OpenCL target.
#ifndef TW_TARGET_OPENCL_PASSES_TD
#define TW_TARGET_OPENCL_PASSES_TD

include "mlir/Pass/PassBase.td"

def OpenCLLoneThreadsPass : Pass<"opencl-lone-threads", "::mlir::ModuleOp"> {
  let summary = "makes kernels of one work-item of tile programs without warps";
  let description = [{
    Such a program becomes what a thread of the host runs (`tile-split-loops`, `tile-prove-bounds`, `tile-to-vector`
    with vectors that OpenCL C has), as a kernel in thread form at the end of `gpu.module @kernels`. Its local buffers are
    those of the work-group. Stores past the caches and fetches ahead are left to the device.
  }];
  let options = [
    Option<"lanes", "lanes", "unsigned", "16", "Elements of a vector, a power of two">,
    Option<"localBytes", "local-bytes", "int64_t", "32768", "Local memory that a program may have">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif
