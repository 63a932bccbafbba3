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
    tw::threads::TypeConverter converter(&getContext());
    RewritePatternSet patterns(&getContext());
    populateGpuToNVVMConversionPatterns(converter, patterns);
    if (failed(tw::threads::convertToLLVM(getOperation(), converter, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
