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
  if (live.size() == kernel->getNumResults())
    return;
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
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(rest.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  for (unsigned i = rest.getNumOperands(); i-- > 0;)
    if (rest.getOperandArgument(i).use_empty())
      dropOperand(rest, i);
  for (unsigned i = rest.getNumAxes(); i-- > 0;)
    if (rest.getAxis(i).use_empty())
      eraseAxis(rest, i);
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
