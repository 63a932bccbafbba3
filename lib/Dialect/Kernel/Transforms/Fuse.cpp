// The fusion pass: kernels in program order take what they read. It runs after formation, on clean
// kernels, so that a view is a copy and an op one kernel.
#include "Cleaning.h"
#include "FusionRules.h"
#include "Inline.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"

#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/Blocks.h"

namespace tw {
#define GEN_PASS_DEF_KERNELFUSEPASS
#include "tw/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// Axes of a kernel that takes a reduction as its epilogue keep the reduction's names.
void takeAxisNames(KernelOp consumer, unsigned operand) {
  KernelOp producer = getProducer(consumer, operand);
  unsigned number = cast<OpResult>(consumer.getOperand(operand)).getResultNumber();
  LoadOp load = getLoads(consumer, operand).front();
  Substitution axes = *substituteAxes(producer, number, load);
  SmallVector<Attribute> names(consumer.getAxisNames().getValue());
  for (auto [i, expr] : llvm::enumerate(axes))
    if (auto dim = dyn_cast_or_null<AffineDimExpr>(expr)) {
      auto axis = cast<BlockArgument>(load.getIndices()[dim.getPosition()]);
      names[axis.getArgNumber()] = producer.getAxisNames()[i];
    }
  llvm::SmallDenseSet<Attribute> seen;
  if (llvm::all_of(names, [&](Attribute name) { return seen.insert(name).second; }))
    consumer.setAxisNamesAttr(ArrayAttr::get(consumer.getContext(), names));
}

struct KernelFusePass : tw::impl::KernelFusePassBase<KernelFusePass> {
  using KernelFusePassBase::KernelFusePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    patterns = getCleaningPatterns(context);
    return success();
  }

  void runOnOperation() override {
    for (Block *block : getProgramBlocks(getOperation())) {
      for (auto kernel : llvm::make_early_inc_range(block->getOps<KernelOp>())) {
        dropUnitAxes(kernel);
        clean(kernel, patterns);
        fuseInto(kernel);
        if (sumRepeatedTerms(kernel))
          clean(kernel, patterns);
        separateRepeated(kernel);
      }
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
        if (isOpTriviallyDead(&op))
          op.erase();
    }
  }

private:
  void fuseInto(KernelOp kernel) {
    for (;;) {
      while (inlineOne(kernel)) {
      }
      bool isSplit = getCharacter(kernel) != Character::Reduction && wantsWholeAxes(kernel)
                         ? splitAxes(kernel, /*all=*/true)
                         : splitAxes(kernel, /*all=*/false);
      if (!isSplit)
        return;
      clean(kernel, patterns);
    }
  }

  /// Inlines the producer of one operand where the rules say so.
  bool inlineOne(KernelOp kernel) {
    for (unsigned i = 0; i < kernel.getNumOperands(); ++i) {
      if (!shouldInline(kernel, i))
        continue;
      KernelOp producer = getProducer(kernel, i);
      if (getCharacter(producer) == Character::Reduction)
        takeAxisNames(kernel, i);
      nameAfterProducer(kernel, i);
      kernel->setLoc(FusedLoc::get(kernel.getContext(), {producer.getLoc(), kernel.getLoc()}));
      SmallVector<Operation *> own;
      for (Operation &op : kernel.getBody().front())
        if (auto load = dyn_cast<LoadOp>(op);
            !load || load.getSource() != kernel.getOperandArgument(i))
          own.push_back(&op);
      if (moveProducer(kernel, i)) {
        clean(kernel, own, patterns);
        return true;
      }
      inlineProducer(kernel, i);
      if (producer->use_empty())
        producer.erase();
      clean(kernel, patterns);
      return true;
    }
    return false;
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
