// Classes of orders, by following which axes are parts of reduced ones.
#include "tw/Schedule/AxisHistory.h"

#include "tw/Dialect/Kernel/AxisSets.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// Integers wrap, so that their sums and products are the same in any order.
static bool dependsOnOrder(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return (reduce && !reduce.getKind()) ||
         !llvm::all_of(op->getResultTypes(), [](Type type) { return type.isInteger(); });
}

AxisHistory::AxisHistory(KernelOp kernel) {
  llvm::SmallBitVector reducedAxes(kernel.getNumAxes());
  AxisSets sets(kernel);
  for (Operation &op : kernel.getBody().front()) {
    if (!dependsOnOrder(&op))
      continue;
    reducedAxes |= sets.reducedBy(&op);
    if (isa<ScanOp>(op))
      reducedAxes |= sets.orderedBy(&op);
  }
  for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
    axes.push_back({StringAttr::get(kernel.getContext(), kernel.getAxisName(i)), reducedAxes[i]});
}

void AxisHistory::replace(ArrayRef<StringAttr> from, ArrayRef<StringAttr> to) {
  auto *first =
      llvm::find_if(axes, [&](const Axis &a) { return llvm::is_contained(from, a.name); });
  if (first == axes.end())
    return;
  bool reduced = first->reduced;
  unsigned position = first - axes.begin();
  llvm::erase_if(axes, [&](const Axis &a) { return llvm::is_contained(from, a.name); });
  for (StringAttr name : to)
    axes.insert(axes.begin() + position++, {name, reduced});
}

void AxisHistory::keep(StringAttr name) {
  for (Axis &axis : axes)
    axis.reduced &= axis.name != name;
}

StringAttr AxisHistory::findReduced(ArrayRef<StringAttr> names) const {
  for (const Axis &axis : axes)
    if (axis.reduced && llvm::is_contained(names, axis.name))
      return axis.name;
  return {};
}

bool AxisHistory::keepsOrder() const {
  SmallVector<StringAttr> before, after;
  for (StringAttr name : order)
    if (findReduced(name))
      after.push_back(name);
  for (const Axis &axis : axes) {
    if (!axis.reduced)
      continue;
    before.push_back(axis.name);
    if (!llvm::is_contained(order, axis.name))
      after.push_back(axis.name);
  }
  return before == after;
}

bool AxisHistory::sumsParts(Operation *reduction) const {
  auto isReduced = [&](StringAttr name) { return bool(findReduced(name)); };
  auto *first = llvm::find_if(order, isReduced);
  auto *kept = std::find_if_not(first, order.end(), isReduced);
  // A product is rounded before it is added to what is in memory.
  return kept != order.end() &&
         (isa<ContractOp>(reduction) || std::any_of(kept, order.end(), isReduced));
}
