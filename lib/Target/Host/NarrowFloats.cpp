// Arithmetic in bf16 and f16 as arithmetic in f32, where a module has any.
#include "tw/Target/Host/Passes.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tw {
#define GEN_PASS_DEF_HOSTNARROWFLOATSPASS
#include "tw/Target/Host/Passes.h.inc"
} // namespace tw

namespace {

bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isBF16() || element.isF16();
}

bool hasNarrowFloats(Operation *module) {
  auto found = module->walk([](Operation *op) {
    bool narrow = llvm::any_of(op->getResultTypes(), isNarrow);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        narrow |= llvm::any_of(block.getArgumentTypes(), isNarrow);
    return narrow ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

class HostNarrowFloatsPass : public tw::impl::HostNarrowFloatsPassBase<HostNarrowFloatsPass> {
public:
  using HostNarrowFloatsPassBase::HostNarrowFloatsPassBase;

  void runOnOperation() override {
    if (!hasNarrowFloats(getOperation()))
      return;
    OpPassManager passes(ModuleOp::getOperationName());
    arith::ArithEmulateUnsupportedFloatsOptions narrow;
    narrow.sourceTypeStrs = {"bf16", "f16"};
    narrow.targetTypeStr = "f32";
    passes.addPass(arith::createArithEmulateUnsupportedFloats(narrow));
    passes.addPass(math::createMathExtendToSupportedTypes());
    passes.addPass(tw::createExpandNarrowFloatsPass());
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};

} // namespace
