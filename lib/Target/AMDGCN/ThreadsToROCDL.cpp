// The pass threads-to-rocdl: upstream's patterns for the gpu dialect, without a device library.
#include "tw/Support/Diagnostics.h"
#include "tw/Target/AMDGCN/Passes.h"
#include "tw/Target/Common/Threads.h"

#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"

namespace tw {
#define GEN_PASS_DEF_THREADSTOROCDLPASS
#include "tw/Target/AMDGCN/Passes.h.inc"
} // namespace tw

using namespace mlir;

namespace {

/// gpu.grid_dim x -> (threads of the grid, in the dispatch packet) / (threads of a group). Upstream
/// calls a device library.
class GridDimPattern : public ConvertOpToLLVMPattern<gpu::GridDimOp> {
public:
  explicit GridDimPattern(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(gpu::GridDimOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // grid_size_x of hsa_kernel_dispatch_packet_t.
    constexpr int32_t gridSizeOffset = 12;
    auto function = op->getParentOfType<FunctionOpInterface>();
    auto group = function->getAttrOfType<DenseI32ArrayAttr>("rocdl.reqd_work_group_size");
    if (!group)
      group = function->getAttrOfType<DenseI32ArrayAttr>("known_block_size");
    if (op.getDimension() != gpu::Dimension::x || !group)
      return rewriter.notifyMatchFailure(op, "expected dimension x and a known block size");
    Location loc = op.getLoc();
    Type packet = LLVM::LLVMPointerType::get(getContext(), 4), i32 = rewriter.getI32Type();
    Value dispatch =
        LLVM::CallIntrinsicOp::create(
            rewriter, loc, packet, rewriter.getStringAttr("llvm.amdgcn.dispatch.ptr"), ValueRange())
            .getResult(0);
    Value address = LLVM::GEPOp::create(rewriter, loc, packet, rewriter.getI8Type(), dispatch,
                                        ArrayRef<LLVM::GEPArg>{gridSizeOffset});
    Value threads = LLVM::LoadOp::create(rewriter, loc, i32, address, /*alignment=*/4);
    Value size = LLVM::ConstantOp::create(rewriter, loc, i32, rewriter.getI32IntegerAttr(group[0]));
    Value groups = LLVM::UDivOp::create(rewriter, loc, threads, size);
    rewriter.replaceOpWithNewOp<LLVM::ZExtOp>(op, getIndexType(), groups);
    return success();
  }
};

class ThreadsToROCDLPass : public tw::impl::ThreadsToROCDLPassBase<ThreadsToROCDLPass> {
public:
  using ThreadsToROCDLPassBase::ThreadsToROCDLPassBase;

  void runOnOperation() override {
    FailureOr<amdgpu::Chipset> chipset = amdgpu::Chipset::parse(chip);
    if (failed(chipset)) {
      tw::emitError(getOperation().getLoc(), tw::Code::T0505)
          << "unknown chip '" << chip << "', expected gfx and its number, as gfx942";
      return signalPassFailure();
    }
    tw::threads::TypeConverter converter(&getContext());
    RewritePatternSet patterns(&getContext());
    populateGpuToROCDLConversionPatterns(converter, patterns, gpu::amd::Runtime::HIP, *chipset);
    patterns.add<GridDimPattern>(converter);
    if (failed(tw::threads::convertToLLVM(getOperation(), converter, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
