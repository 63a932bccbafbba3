// The strategy for results along different axes, and pieces of a result: each store has lanes of
// its own, and the loops over all axes are those of the kernel, of which each op has its own.
#include "ListBuilder.h"
#include "Strategies.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Strides.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class SeveralAxes {
public:
  SeveralAxes(KernelOp kernel, const HostTraits &traits)
      : kernel(kernel), traits(traits), sets(kernel), everywhere(kernel.getNumAxes()),
        lanes(kernel.getNumAxes()), scanned(kernel.getNumAxes()) {
    for (const AxisGroup &group : findAxisGroups(kernel, sets, /*apart=*/false))
      for (unsigned axis : group.axes) {
        everywhere[axis] = group.everywhere && !group.reduced && !group.scanned;
        scanned[axis] = group.scanned;
      }
  }

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    SmallVector<StoreOp> stores(kernel.getBody().getOps<StoreOp>());
    if (llvm::all_of(stores, [&](StoreOp store) { return along(store) == along(stores[0]); }))
      return;
    for (StoreOp store : stores)
      if (std::optional<unsigned> axis = chooseLanes(store))
        lanes.set(*axis);
    for (int64_t most : {1, 4})
      for (bool programs : {false, true})
        candidates.push_back({"several-axes", emit(most, programs), {}});
  }

private:
  llvm::SmallBitVector along(StoreOp store) { return sets.unionOf(store.getIndices()); }

  /// What the store's value is computed from, and the store.
  SmallVector<Operation *> findSlice(StoreOp store) {
    llvm::SetVector<Operation *> slice;
    slice.insert(store);
    for (size_t i = 0; i < slice.size(); ++i)
      for (Value operand : slice[i]->getOperands())
        if (Operation *op = operand.getDefiningOp())
          slice.insert(op);
    return slice.takeVector();
  }

  /// The axis along which the fewest accesses of the store's nest are of single elements; of equal
  /// ones the longest. A reduced axis pays for what combines the lanes.
  std::optional<unsigned> chooseLanes(StoreOp store) {
    SmallVector<Operation *> slice = findSlice(store);
    llvm::SmallBitVector stored = along(store), open = stored;
    for (Operation *op : slice)
      open |= sets.reducedBy(op);
    std::optional<unsigned> best;
    double least = 0;
    for (unsigned axis : open.set_bits()) {
      if (scanned[axis] || kernel.getExtents()[axis] < traits.lanes)
        continue;
      double cost = stored[axis] ? 0 : 1;
      for (Operation *op : slice) {
        std::optional<int64_t> stride = 0;
        if (auto load = dyn_cast<LoadOp>(op); load && sets.of(load.getResult())[axis])
          stride = getUsualStride(load, kernel.getAxis(axis));
        else if (op == store)
          stride = getUsualStride(store, kernel.getAxis(axis));
        cost += stride && (*stride == 0 || *stride == 1) ? 1 : traits.lanes;
      }
      if (!best || cost < least ||
          (cost == least && kernel.getExtents()[axis] > kernel.getExtents()[*best])) {
        best = axis;
        least = cost;
      }
    }
    return best;
  }

  /// Tiles of up to so many vectors, which divide the axis unless they are one; `programs` of the
  /// axes that everything has.
  ScheduleAttr emit(int64_t most, bool programs) {
    schedule::host::ListBuilder list(kernel);
    for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
      StringAttr name = list.name(axis);
      int64_t extent = kernel.getExtents()[axis];
      if (lanes[axis]) {
        int64_t vectors = most;
        while (vectors > 1 && extent % (vectors * traits.lanes))
          vectors /= 2;
        list.tileBy(name, extent, vectors * traits.lanes);
      } else {
        (programs && everywhere[axis] ? list.grid : list.order).push_back(name);
      }
    }
    return list.finish();
  }

  KernelOp kernel;
  const HostTraits &traits;
  AxisSets sets;
  /// Axes that all ops with loops have; axes of lanes; of scans.
  llvm::SmallBitVector everywhere, lanes, scanned;
};

} // namespace

void tw::schedule::host::proposeSeveralAxes(KernelOp kernel, const HostTraits &traits,
                                            SmallVectorImpl<HostCandidate> &candidates) {
  SeveralAxes(kernel, traits).propose(candidates);
}
