// Arithmetic in narrow floats as arithmetic in f32, where a module has any.
#include "tw/Target/Common/NarrowFloats.h"
#include "tw/Target/Host/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tw {
#define GEN_PASS_DEF_HOSTNARROWFLOATSPASS
#include "tw/Target/Host/Passes.h.inc"
} // namespace tw

namespace {

class HostNarrowFloatsPass : public tw::impl::HostNarrowFloatsPassBase<HostNarrowFloatsPass> {
public:
  using HostNarrowFloatsPassBase::HostNarrowFloatsPassBase;

  void runOnOperation() override {
    if (!tw::narrow::hasAny(getOperation()))
      return;
    OpPassManager passes(ModuleOp::getOperationName());
    tw::narrow::buildExtension(passes, &getContext());
    passes.addPass(tw::createExpandNarrowFloatsPass());
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};

} // namespace
