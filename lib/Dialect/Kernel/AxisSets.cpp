// Axis sets by one walk over the body in program order, and the recompute factors that follow.
#include "tw/Dialect/Kernel/AxisSets.h"

using namespace mlir;
using namespace tw::kernel;

AxisSets::AxisSets(KernelOp kernel) : extents(kernel.getExtents()), none(kernel.getNumAxes()) {
  mlir::Block &body = kernel.getBody().front();
  unsigned numValues = none.size();
  for (Operation &op : body)
    numValues += op.getNumResults();
  sets.reserve(numValues);
  for (unsigned i = 0; i < none.size(); ++i) {
    llvm::SmallBitVector set(none);
    set.set(i);
    sets.try_emplace(kernel.getAxis(i), std::move(set));
  }
  for (Operation &op : body) {
    if (op.getNumResults() == 0)
      continue;
    llvm::SmallBitVector set(none);
    for (Value operand : op.getOperands())
      if (auto it = sets.find(operand); it != sets.end())
        set |= it->second;
    if (isa<ReduceOp, ContractOp>(op))
      set.reset(reducedBy(&op));
    for (Value result : op.getResults())
      sets.try_emplace(result, set);
  }
}

const llvm::SmallBitVector &AxisSets::of(Value value) const {
  auto it = sets.find(value);
  return it == sets.end() ? none : it->second;
}

llvm::SmallBitVector AxisSets::unionOf(ValueRange values) const {
  llvm::SmallBitVector axes(none.size());
  for (Value value : values)
    axes |= of(value);
  return axes;
}

llvm::SmallBitVector AxisSets::reducedBy(Operation *op) const {
  llvm::SmallBitVector axes(none.size());
  auto add = [&](ValueRange values) {
    for (Value axis : values)
      axes.set(cast<BlockArgument>(axis).getArgNumber());
  };
  if (auto reduce = dyn_cast<ReduceOp>(op))
    add(reduce.getAxes());
  else if (auto contract = dyn_cast<ContractOp>(op))
    add(contract.getAxes());
  return axes;
}

llvm::SmallBitVector AxisSets::orderedBy(Operation *op) const {
  llvm::SmallBitVector axes(none.size());
  if (auto scan = dyn_cast<ScanOp>(op)) {
    axes.set(cast<BlockArgument>(scan.getAxis()).getArgNumber());
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    axes |= of(store.getValue());
    for (Value offset : store.getOffsets())
      axes |= of(offset);
    for (Value index : store.getIndices())
      axes.reset(of(index));
  }
  return axes;
}

int64_t AxisSets::points(const llvm::SmallBitVector &axes) const {
  int64_t product = 1;
  for (unsigned axis : axes.set_bits())
    product *= extents[axis];
  return product;
}

int64_t AxisSets::recomputeFactor(Value value, const llvm::SmallBitVector &enclosing) const {
  llvm::SmallBitVector rest = enclosing;
  rest.reset(of(value));
  return points(rest);
}

int64_t tw::kernel::largestRecomputeFactor(KernelOp kernel) {
  AxisSets sets(kernel);
  int64_t largest = 1;
  for (Operation &op : kernel.getBody().front()) {
    // Reading an operand again computes nothing.
    if (op.getNumResults() == 0 || isa<arith::ConstantOp, LoadOp, affine::AffineApplyOp>(op))
      continue;
    for (Operation *user : op.getUsers()) {
      if (user->getBlock() != op.getBlock())
        continue;
      // The points at which the user runs: its own axes and those that it reduces over.
      llvm::SmallBitVector enclosing(kernel.getNumAxes());
      for (Value operand : user->getOperands())
        enclosing |= sets.of(operand);
      // Results of reductions are computed once and kept; what is cheap to hoist is not counted.
      if (isa<ReduceOp, ContractOp, ScanOp>(op))
        continue;
      largest = std::max(largest, sets.recomputeFactor(op.getResult(0), enclosing));
    }
  }
  return largest;
}
