// The live sets of ops, and what they say of pairs of axes.
#include "AxisGraph.h"

#include "tw/Dialect/Kernel/AxisSets.h"

using namespace mlir;
using namespace tw::kernel;

AxisGraph::AxisGraph(KernelOp kernel)
    : interfering(kernel.getNumAxes(), llvm::SmallBitVector(kernel.getNumAxes())),
      outside(kernel.getNumAxes(), llvm::SmallBitVector(kernel.getNumAxes())) {
  for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
    extents.push_back(kernel.getExtent(i));
  AxisSets sets(kernel);
  for (Operation &op : kernel.getBody().front()) {
    llvm::SmallBitVector live(kernel.getNumAxes());
    for (Value operand : op.getOperands())
      live |= sets.of(operand);
    for (unsigned axis : live.set_bits())
      interfering[axis] |= live;
    llvm::SmallBitVector inner = sets.reducedBy(&op);
    if (auto scan = dyn_cast<ScanOp>(op))
      inner |= sets.of(scan.getAxis());
    llvm::SmallBitVector kept = live;
    kept.reset(inner);
    for (unsigned axis : inner.set_bits())
      outside[axis] |= kept;
    // Where a store comes to an element again it does so in the order of its axes.
    if (isa<StoreOp>(op)) {
      SmallVector<unsigned> &order = ordered.emplace_back();
      llvm::SmallBitVector stored = sets.orderedBy(&op);
      for (unsigned axis : stored.set_bits()) {
        for (unsigned before : order)
          outside[axis].set(before);
        order.push_back(axis);
      }
    }
  }
}

SmallVector<unsigned> AxisGraph::getLeaders(ArrayRef<AxisPair> pairs) const {
  SmallVector<unsigned> leaders(llvm::to_vector(llvm::seq<unsigned>(0, extents.size())));
  for (auto [a, b] : pairs) {
    unsigned from = std::max(leaders[a], leaders[b]), to = std::min(leaders[a], leaders[b]);
    llvm::replace(leaders, from, to);
  }
  return leaders;
}

bool AxisGraph::canUnite(ArrayRef<AxisPair> pairs) const {
  SmallVector<unsigned> leaders = getLeaders(pairs);
  for (unsigned a = 0; a < leaders.size(); ++a)
    for (unsigned b = a + 1; b < leaders.size(); ++b)
      if (leaders[a] == leaders[b] && (extents[a] != extents[b] || interfering[a][b]))
        return false;
  return llvm::all_of(ordered, [&](ArrayRef<unsigned> order) {
    return llvm::is_sorted(order, [&](unsigned a, unsigned b) { return leaders[a] < leaders[b]; });
  });
}

bool AxisGraph::isOrdered(ArrayRef<AxisPair> pairs) const {
  return getOrder(pairs).size() == extents.size();
}

SmallVector<unsigned> AxisGraph::getOrder(ArrayRef<AxisPair> pairs) const {
  SmallVector<unsigned> leaders = getLeaders(pairs), order;
  SmallVector<llvm::SmallBitVector> before(leaders.size(), llvm::SmallBitVector(leaders.size()));
  for (auto [axis, all] : llvm::enumerate(outside))
    for (unsigned other : all.set_bits())
      before[leaders[axis]].set(leaders[other]);
  // The first axis with nothing left before it is the next one.
  llvm::SmallBitVector rest(leaders.size(), true);
  for (auto isNext = [&](unsigned axis) { return !before[axis].anyCommon(rest); };;) {
    auto next = llvm::find_if(rest.set_bits(), isNext);
    if (next == rest.set_bits_end())
      return order;
    order.push_back(*next);
    rest.reset(*next);
  }
}
