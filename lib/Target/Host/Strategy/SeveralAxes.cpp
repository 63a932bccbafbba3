// The strategy for results along different axes, and pieces of a result: each store has lanes of
// its own, and the loops over all axes are those of the kernel, of which each op has its own.
#include "Cheapest.h"
#include "ListBuilder.h"
#include "Strategies.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Strides.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

/// Axes of lanes, of so many vectors at most, and whether the axes that everything has are
/// programs.
struct Choice {
  llvm::SmallBitVector lanes;
  int64_t mostVectors = 1;
  bool programs = false;
};

class SeveralAxes {
public:
  SeveralAxes(KernelOp kernel, const HostTraits &traits)
      : kernel(kernel), traits(traits), sets(kernel), everywhere(kernel.getNumAxes()),
        scanned(kernel.getNumAxes()) {
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
    auto write = [&](const Choice &choice) { return emit(choice); };
    Cheapest<Choice> choices(kernel, traits, write);
    choices.add({llvm::SmallBitVector(kernel.getNumAxes())});
    for (StoreOp store : stores) {
      for (const Choice &choice : choices.get())
        for (unsigned axis : listLanes(store)) {
          Choice wider = choice;
          wider.lanes.set(axis);
          choices.add(wider);
        }
      choices.keep(1);
    }
    for (const Choice &choice : choices.get())
      for (int64_t most : {1, 4})
        for (bool programs : {false, true})
          choices.add({choice.lanes, most, programs});
    choices.keep(4);
    choices.propose("several-axes", candidates);
  }

private:
  llvm::SmallBitVector along(StoreOp store) {
    llvm::SmallBitVector axes(kernel.getNumAxes());
    for (Value index : store.getIndices())
      axes |= sets.of(index);
    return axes;
  }

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

  /// Axes of the store's nest along which it reads or writes something in order.
  SmallVector<unsigned> listLanes(StoreOp store) {
    SmallVector<Operation *> slice = findSlice(store);
    llvm::SmallBitVector open = along(store);
    for (Operation *op : slice)
      open |= sets.reducedBy(op);
    SmallVector<unsigned> axes;
    for (unsigned axis : open.set_bits())
      if (!scanned[axis] && kernel.getExtents()[axis] >= traits.lanes &&
          llvm::any_of(slice, [&](Operation *op) {
            if (auto load = dyn_cast<LoadOp>(op))
              return sets.of(load.getResult())[axis] &&
                     getUsualStride(load, kernel.getAxis(axis)) == 1;
            return op == store && getUsualStride(store, kernel.getAxis(axis)) == 1;
          }))
        axes.push_back(axis);
    return axes;
  }

  /// Tiles divide their axis unless they are of one vector.
  ScheduleAttr emit(const Choice &choice) {
    schedule::host::ListBuilder list(kernel);
    for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
      StringAttr name = list.name(axis);
      int64_t extent = kernel.getExtents()[axis];
      if (choice.lanes[axis]) {
        int64_t vectors = choice.mostVectors;
        while (vectors > 1 && extent % (vectors * traits.lanes))
          vectors /= 2;
        list.tileBy(name, extent, vectors * traits.lanes);
      } else {
        (choice.programs && everywhere[axis] ? list.grid : list.order).push_back(name);
      }
    }
    return list.finish();
  }

  KernelOp kernel;
  const HostTraits &traits;
  AxisSets sets;
  /// Axes that all ops with loops have; of scans.
  llvm::SmallBitVector everywhere, scanned;
};

} // namespace

void tw::schedule::host::proposeSeveralAxes(KernelOp kernel, const HostTraits &traits,
                                            SmallVectorImpl<HostCandidate> &candidates) {
  SeveralAxes(kernel, traits).propose(candidates);
}
