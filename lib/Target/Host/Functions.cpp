// The pass host-functions: elementary functions for which the instruction set has better code than
// arithmetic that every target has. It runs before expand-math, which replaces what is left.
#include "InstructionSet.h"

#include "tw/Support/Diagnostics.h"
#include "tw/Target/Host/Passes.h"

using namespace mlir;

namespace tw {
#define GEN_PASS_DEF_HOSTFUNCTIONSPASS
#include "tw/Target/Host/Passes.h.inc"
} // namespace tw

namespace {

class HostFunctionsPass : public tw::impl::HostFunctionsPassBase<HostFunctionsPass> {
public:
  using HostFunctionsPassBase::HostFunctionsPassBase;

  void runOnOperation() override {
    const tw::host::InstructionSet *found = tw::host::findInstructionSet(set);
    if (!found) {
      auto names = llvm::map_range(tw::host::allInstructionSets(),
                                   [](const tw::host::InstructionSet *any) { return any->name; });
      tw::emitError(getOperation().getLoc(), tw::Code::T0408)
          << "no instruction set '" << set << "', expected " << llvm::join(names, " or ");
      return signalPassFailure();
    }
    if (!found->emitFunction)
      return;
    getOperation().walk([&](Operation *op) {
      Value value = found->emitFunction(op);
      if (!value)
        return;
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    });
  }
};

} // namespace
