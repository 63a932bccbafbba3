// Arithmetic in narrow floats as arithmetic in f32, where a module has any.
#include "tw/Format/Element.h"
#include "tw/Support/ElementTypes.h"
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

bool isNarrow(Type type) { return tw::isNarrowFloat(getElementTypeOrSelf(type)); }

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
    for (const tw::format::ElementInfo &info : tw::format::elementTypes)
      if (Type type = tw::getElementType(&getContext(), info.type); type && tw::isNarrowFloat(type))
        narrow.sourceTypeStrs.push_back(std::string(info.name));
    narrow.targetTypeStr = "f32";
    passes.addPass(arith::createArithEmulateUnsupportedFloats(narrow));
    passes.addPass(math::createMathExtendToSupportedTypes());
    passes.addPass(tw::createExpandNarrowFloatsPass());
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};

} // namespace
