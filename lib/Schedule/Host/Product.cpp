// Finding the contraction of a kernel and what its axes are for.
#include "Product.h"

using namespace mlir;
using namespace tw::kernel;
using namespace tw::schedule::host;

bool Product::match() {
  for (Operation &op : kernel.getBody().front()) {
    if (isa<ReduceOp, ScanOp>(op) || (isa<ContractOp>(op) && contract))
      return false;
    if (auto found = dyn_cast<ContractOp>(op))
      contract = found;
  }
  if (!contract)
    return false;
  reduced = sets.reducedBy(contract);
  stored.resize(kernel.getNumAxes());
  for (auto store : kernel.getBody().getOps<StoreOp>())
    for (Value index : store.getIndices())
      stored |= sets.of(index);
  return stored == sets.of(contract.getResult());
}

llvm::SmallBitVector Product::ownAxes(Value value, Value other) const {
  llvm::SmallBitVector own = sets.of(value);
  own.reset(sets.of(other));
  own.reset(reduced);
  return own;
}
