// The pass kernel-drop-results: what nothing reads is neither computed nor stored.
#include "Cleaning.h"
#include "tw/Dialect/Kernel/Blocks.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"

namespace tw {
#define GEN_PASS_DEF_KERNELDROPRESULTSPASS
#include "tw/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

/// Erases ops that nothing reads. False if there are none.
static bool eraseDeadOps(KernelOp kernel) {
  bool hasDied = false;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
    if (isOpTriviallyDead(&op)) {
      op.erase();
      hasDied = true;
    }
  return hasDied;
}

static void dropUnused(KernelOp kernel) {
  for (unsigned i = kernel.getNumOperands(); i-- > 0;)
    if (kernel.getOperandArgument(i).use_empty())
      dropOperand(kernel, i);
  for (unsigned i = kernel.getNumAxes(); i-- > 0;)
    if (kernel.getAxis(i).use_empty())
      eraseAxis(kernel, i);
}

void kernel::dropDeadResults(KernelOp kernel) {
  SmallVector<unsigned> numbers; // of the results after the pass
  SmallVector<Type> types;
  SmallVector<OpResult> live;
  for (OpResult result : kernel->getResults()) {
    numbers.push_back(live.size());
    if (result.use_empty())
      continue;
    live.push_back(result);
    types.push_back(result.getType());
  }
  if (live.size() == kernel->getNumResults()) {
    if (eraseDeadOps(kernel))
      dropUnused(kernel);
    return;
  }
  OpBuilder builder(kernel);
  auto rest = KernelOp::create(builder, kernel.getLoc(), types, ValueRange(), {}, {});
  rest->setOperands(kernel.getOperands());
  rest->setAttrs(kernel->getAttrDictionary());
  rest.getBody().takeBody(kernel.getBody());
  for (auto store : llvm::make_early_inc_range(rest.getBody().getOps<StoreOp>())) {
    unsigned number = store.getResultNumber();
    if (kernel.getResult(number).use_empty())
      store.erase();
    else
      store.setResultNumber(numbers[number]);
  }
  for (auto [before, after] : llvm::zip_equal(live, rest->getResults()))
    before.replaceAllUsesWith(after);
  kernel.erase();
  eraseDeadOps(rest);
  dropUnused(rest);
}

namespace {

struct KernelDropResultsPass : tw::impl::KernelDropResultsPassBase<KernelDropResultsPass> {
  using KernelDropResultsPassBase::KernelDropResultsPassBase;

  void runOnOperation() override {
    for (Block *block : getProgramBlocks(getOperation()))
      // Readers come first: they may have been the only ones.
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block))) {
        if (isOpTriviallyDead(&op))
          op.erase();
        else if (auto kernel = dyn_cast<KernelOp>(op); kernel && !kernel.getSchedule())
          dropDeadResults(kernel);
      }
  }
};

} // namespace
