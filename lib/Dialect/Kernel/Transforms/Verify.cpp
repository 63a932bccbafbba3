// The border of the kernel stage.
#include "FusionRules.h"
#include "tw/Dialect/Kernel/Blocks.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"
#include "tw/Support/Diagnostics.h"

namespace tw {
#define GEN_PASS_DEF_KERNELVERIFYPASS
#include "tw/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// The pass that removes ops of a dialect before this stage; empty for those that no pass removes.
StringRef getRemovingPass(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "tview")
    return "view-to-kernel";
  if (dialect != "tgraph")
    return "";
  StringRef name = op->getName().stripDialect();
  if (llvm::is_contained({"relu", "gelu", "softmax", "log_softmax", "layer_norm", "batch_norm"},
                         name))
    return "graph-decompose";
  if (llvm::is_contained({"permute", "reshape", "expand", "pad", "slice", "flip"}, name))
    return "graph-to-view";
  return "view-to-kernel";
}

struct KernelVerifyPass : tw::impl::KernelVerifyPassBase<KernelVerifyPass> {
  using KernelVerifyPassBase::KernelVerifyPassBase;

  void runOnOperation() override {
    bool isLegal = true;
    for (Block *block : getProgramBlocks(getOperation()))
      for (Operation &op : *block)
        isLegal &= succeeded(check(&op));
    if (!isLegal)
      signalPassFailure();
  }

private:
  static LogicalResult check(Operation *op) {
    for (Value result : op->getResults())
      if (auto type = dyn_cast<ShapedType>(result.getType()); type && !type.hasStaticShape())
        return tw::emitOpError(op, Code::T0332) << "expected static shapes, found " << type;
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      unsigned bindings = op->getNumOperands() + op->getNumResults();
      if (bindings > maxBindings)
        return tw::emitOpError(op, Code::T0333)
               << "expected at most " << maxBindings << " operands and results, found " << bindings;
      return success();
    }
    if (isa<func::ReturnOp>(op) ||
        (op->getName().getDialectNamespace() == "tgraph" &&
         llvm::is_contained({"constant", "if", "for", "while", "yield", "reshape"},
                            op->getName().stripDialect())))
      return success();
    StringRef pass = getRemovingPass(op);
    auto error = tw::emitOpError(op, Code::T0331);
    error << "is not legal in the kernel stage";
    if (!pass.empty())
      error << "; " << pass << " removes it";
    return error;
  }
};

} // namespace
