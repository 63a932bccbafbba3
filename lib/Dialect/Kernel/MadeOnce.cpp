// Tensors that depend on constants alone, found through the kernels that make them.
#include "tw/Dialect/Kernel/MadeOnce.h"

#include "tw/Dialect/Kernel/Kernel.h"

using namespace mlir;

bool tw::kernel::isMadeOnce(Value tensor) {
  SmallVector<Operation *> open;
  llvm::SmallPtrSet<Operation *, 8> seen;
  auto isPossible = [&](Value value) {
    Operation *source = value.getDefiningOp();
    if (source && source->hasTrait<OpTrait::ConstantLike>())
      return true;
    if (!isa_and_nonnull<KernelOp>(source) || source->getNumOperands() == 0)
      return false;
    if (seen.insert(source).second)
      open.push_back(source);
    return true;
  };
  if (!isPossible(tensor))
    return false;
  while (!open.empty())
    if (!llvm::all_of(open.pop_back_val()->getOperands(), isPossible))
      return false;
  return true;
}
