// Grouping axes by what ops do with them, and what memory moves along a group.
#include "tw/Schedule/AxisGroups.h"

#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Schedule/Strides.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// By how much the addresses grow along an axis, for sorting: in the first store that varies along
/// it, else in the load with the most points that does.
int64_t getWeight(KernelOp kernel, const AxisSets &sets, unsigned axis) {
  for (auto store : kernel.getBody().getOps<StoreOp>())
    if (auto stride = getUsualStride(store, kernel.getAxis(axis)); stride && *stride)
      return std::abs(*stride);
  int64_t weight = 0, most = 0;
  for (auto load : kernel.getBody().getOps<LoadOp>()) {
    auto stride = getUsualStride(load, kernel.getAxis(axis));
    int64_t points = sets.points(sets.of(load.getResult()));
    if (stride && *stride && points > most) {
      weight = std::abs(*stride);
      most = points;
    }
  }
  return weight;
}

/// Of merged axes a call may settle the size of the first alone.
SmallVector<AxisGroup> cutAtSettled(KernelOp kernel, ArrayRef<AxisGroup> groups) {
  SmallVector<AxisGroup> cut;
  for (const AxisGroup &group : groups) {
    ArrayRef<unsigned> axes(group.axes);
    while (!axes.empty()) {
      const auto *end =
          llvm::find_if(axes.drop_front(), [&](unsigned axis) { return isSettled(kernel, axis); });
      AxisGroup &part = cut.emplace_back(group);
      part.axes.assign(axes.begin(), end);
      part.settled = isSettled(kernel, axes.front());
      part.extent = 1;
      for (unsigned axis : part.axes)
        part.extent *= kernel.getExtents()[axis];
      axes = axes.drop_front(part.axes.size());
    }
  }
  return cut;
}

} // namespace

SmallVector<AxisGroup> tw::schedule::findAxisGroups(KernelOp kernel, const AxisSets &sets,
                                                    bool apart) {
  struct Treatment {
    SmallVector<bool> marks;
    AxisGroup flags;
  };
  SmallVector<Treatment> treatments(kernel.getNumAxes());
  auto mark = [&](const llvm::SmallBitVector &axes) {
    for (auto [axis, treatment] : llvm::enumerate(treatments))
      treatment.marks.push_back(axes[axis]);
  };
  for (Operation &op : kernel.getBody().front()) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      llvm::SmallBitVector axes = sets.unionOf(store.getIndices());
      mark(axes);
      for (auto [axis, treatment] : llvm::enumerate(treatments)) {
        treatment.flags.stored |= axes[axis];
        treatment.flags.everywhere &= axes[axis];
      }
      llvm::SmallBitVector ordered = sets.orderedBy(store);
      mark(ordered);
      for (unsigned axis : ordered.set_bits())
        treatments[axis].flags.scanned = true;
    } else if (isa<ReduceOp, ContractOp>(op)) {
      llvm::SmallBitVector reduced = sets.reducedBy(&op), kept = sets.of(op.getResult(0));
      mark(reduced);
      mark(kept);
      for (auto [axis, treatment] : llvm::enumerate(treatments)) {
        treatment.flags.reduced |= reduced[axis];
        treatment.flags.everywhere &= kept[axis];
      }
      if (apart && isa<ContractOp>(op)) {
        mark(sets.of(op.getOperand(0)));
        mark(sets.of(op.getOperand(1)));
      }
    } else if (auto scan = dyn_cast<ScanOp>(op)) {
      llvm::SmallBitVector axis(kernel.getNumAxes());
      axis.set(cast<BlockArgument>(scan.getAxis()).getArgNumber());
      mark(axis);
      mark(sets.of(scan.getResult()));
      treatments[axis.find_first()].flags.scanned = true;
      for (auto [i, treatment] : llvm::enumerate(treatments))
        treatment.flags.everywhere &= sets.of(scan.getResult())[i] && !axis[i];
    }
  }
  SmallVector<AxisGroup> groups;
  SmallVector<ArrayRef<bool>> known;
  for (auto [axis, treatment] : llvm::enumerate(treatments)) {
    if (llvm::none_of(treatment.marks, [](bool marked) { return marked; }))
      continue;
    auto *it =
        treatment.flags.scanned ? known.end() : llvm::find(known, ArrayRef<bool>(treatment.marks));
    size_t i = it - known.begin();
    if (i == groups.size()) {
      groups.push_back(treatment.flags);
      known.push_back(treatment.marks);
    }
    groups[i].axes.push_back(axis);
    groups[i].extent *= kernel.getExtents()[axis];
  }
  for (AxisGroup &group : groups) {
    llvm::DenseMap<unsigned, int64_t> weights;
    for (unsigned axis : group.axes)
      weights[axis] = kernel.getExtents()[axis] == 1 ? INT64_MAX : getWeight(kernel, sets, axis);
    llvm::sort(group.axes, [&](unsigned a, unsigned b) {
      return std::pair(-weights[a], a) < std::pair(-weights[b], b);
    });
  }
  return cutAtSettled(kernel, groups);
}

double tw::schedule::getCostAlong(KernelOp kernel, const AxisSets &sets, const AxisGroup &group) {
  constexpr int64_t kWarp = 32;
  /// Elements of a memory transaction, when each of them is used once.
  constexpr double kWorst = 16, kSame = 0.1;
  BlockArgument axis = kernel.getAxis(group.fastest());
  double cost = 0;
  auto count = [&](int64_t points, std::optional<int64_t> stride) {
    double each = !stride        ? kWorst
                  : *stride == 0 ? kSame
                                 : std::min<double>(kWorst, std::abs(*stride));
    cost += double(points) * each;
  };
  for (Operation &op : kernel.getBody().front()) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      count(sets.points(sets.of(load.getResult())), getUsualStride(load, axis));
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      llvm::SmallBitVector axes = sets.unionOf(store.getIndices());
      count(sets.points(axes), getUsualStride(store, axis));
    }
  }
  return cost / (double(std::min(group.extent, kWarp)) / kWarp);
}
