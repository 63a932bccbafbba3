// From gpu, memref, vector, arith and cf to the llvm dialect: the patterns that no vendor changes.
#include "tw/Support/Diagnostics.h"
#include "tw/Target/Common/Threads.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

static LowerToLLVMOptions getBareOptions(MLIRContext *context) {
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  options.overrideIndexBitwidth(64);
  return options;
}

tw::threads::TypeConverter::TypeConverter(MLIRContext *context)
    : LLVMTypeConverter(context, getBareOptions(context)) {
  populateGpuMemorySpaceAttributeConversions(*this, [](gpu::AddressSpace space) -> unsigned {
    switch (space) {
    case gpu::AddressSpace::Global:
      return 1;
    case gpu::AddressSpace::Workgroup:
      return 3;
    default:
      return 5;
    }
  });
}

LogicalResult tw::threads::convertToLLVM(gpu::GPUModuleOp module, const TypeConverter &converter,
                                         RewritePatternSet &&patterns) {
  RewritePatternSet expansions(module.getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(expansions);
  if (failed(applyPatternsGreedily(module, std::move(expansions))))
    return failure();
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  ConversionTarget target(*module.getContext());
  target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect>();
  target.addLegalOp<gpu::GPUModuleOp, UnrealizedConversionCastOp>();
  if (failed(applyPartialConversion(module, target, std::move(patterns))))
    return failure();
  // Partial conversion leaves alone what it does not know.
  WalkResult walk = module.walk([&](Operation *op) {
    if (op == module || target.isLegal(op))
      return WalkResult::advance();
    auto function = op->getParentOfType<FunctionOpInterface>();
    tw::emitError(op->getLoc(), Code::T0411)
        << "kernel '" << (function ? function.getName() : "") << "': '" << op->getName()
        << "' has no lowering to this chip";
    return WalkResult::interrupt();
  });
  return success(!walk.wasInterrupted());
}
