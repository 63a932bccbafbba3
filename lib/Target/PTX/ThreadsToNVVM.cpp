// The pass threads-to-nvvm: upstream's patterns for the gpu dialect, without libdevice.
#include "tw/Target/Common/Threads.h"
#include "tw/Target/PTX/Passes.h"

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"

namespace tw {
#define GEN_PASS_DEF_THREADSTONVVMPASS
#include "tw/Target/PTX/Passes.h.inc"
} // namespace tw

using namespace mlir;

namespace {

class ThreadsToNVVMPass : public tw::impl::ThreadsToNVVMPassBase<ThreadsToNVVMPass> {
public:
  using ThreadsToNVVMPassBase::ThreadsToNVVMPassBase;

  void runOnOperation() override {
    emitApproximations();
    tw::threads::TypeConverter converter(&getContext());
    RewritePatternSet patterns(&getContext());
    populateGpuToNVVMConversionPatterns(converter, patterns);
    if (failed(tw::threads::convertToLLVM(getOperation(), converter, std::move(patterns))))
      signalPassFailure();
  }

private:
  /// What expand-math leaves for `afn`. LLVM knows the instruction for powers of two.
  void emitApproximations() {
    getOperation()->walk([](LLVM::Log2Op op) {
      OpBuilder builder(op);
      auto call = LLVM::CallIntrinsicOp::create(builder, op.getLoc(), op.getType(),
                                                builder.getStringAttr("llvm.nvvm.lg2.approx.f"),
                                                ValueRange(op.getIn()));
      op->replaceAllUsesWith(call->getResults());
      op->erase();
    });
  }
};

} // namespace
