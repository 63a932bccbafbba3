// The pass kernel-print-loops.
#include "tw/Schedule/LoopTree.h"
#include "tw/Schedule/Passes.h"
#include "tw/Support/Diagnostics.h"

namespace tw {
#define GEN_PASS_DEF_KERNELPRINTLOOPSPASS
#include "tw/Schedule/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

LogicalResult schedule::printLoopTrees(Operation *root, llvm::raw_ostream &os) {
  auto result = root->walk([&](kernel::KernelOp kernel) {
    // Rewrites at the head of a schedule are for the copy alone.
    OwningOpRef<kernel::KernelOp> copy(kernel.clone());
    FailureOr<Plan> plan = makePlan(*copy);
    if (failed(plan))
      return WalkResult::interrupt();
    Refusal refusal;
    std::unique_ptr<LoopTree> tree = buildLoopTree(*copy, *plan, refusal);
    if (!tree) {
      emitError(refusal.op->getLoc(), Code::T0311) << refusal.text;
      return WalkResult::interrupt();
    }
    // A kernel alone in a function is known by its name.
    auto function = kernel->getParentOfType<SymbolOpInterface>();
    StringRef name = kernel.getSymHint().value_or(function ? function.getName() : "kernel");
    tree->print(os, name);
    return WalkResult::advance();
  });
  return success(!result.wasInterrupted());
}

namespace {

struct KernelPrintLoops : public tw::impl::KernelPrintLoopsPassBase<KernelPrintLoops> {
  void runOnOperation() override {
    if (failed(schedule::printLoopTrees(getOperation(), llvm::outs())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
