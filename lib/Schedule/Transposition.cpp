// Elementwise kernels whose loads and stores run through memory along different axes.
#include "tw/Schedule/AxisGroups.h"
#include "tw/Schedule/Strides.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// Shorter axes are not worth tiles of their own.
constexpr int64_t kLeastExtent = 8;
/// Steps of memory, in elements, that still share transactions.
constexpr int64_t kNear = 4;

/// Whether the axes merge so that no access divides: the slower one steps over all of the faster
/// one.
bool mergeLinearly(KernelOp kernel, unsigned slower, unsigned faster) {
  auto agree = [&](std::optional<int64_t> outer, std::optional<int64_t> inner) {
    return outer && inner && *outer == *inner * kernel.getExtents()[faster];
  };
  for (Operation &op : kernel.getBody().front()) {
    BlockArgument outer = kernel.getAxis(slower), inner = kernel.getAxis(faster);
    if (auto load = dyn_cast<LoadOp>(op))
      if (!agree(getUsualStride(load, outer), getUsualStride(load, inner)))
        return false;
    if (auto store = dyn_cast<StoreOp>(op))
      if (!agree(getUsualStride(store, outer), getUsualStride(store, inner)))
        return false;
  }
  return true;
}

AxisGroup makeGroup(KernelOp kernel, const AxisGroup &whole, ArrayRef<unsigned> axes) {
  AxisGroup group = whole;
  group.axes.assign(axes.begin(), axes.end());
  group.extent = 1;
  for (unsigned axis : axes)
    group.extent *= kernel.getExtents()[axis];
  return group;
}

/// The axis along which the load's memory is contiguous, if it is long enough for tiles.
std::optional<unsigned> getContiguous(KernelOp kernel, const AxisGroup &group, LoadOp load) {
  for (unsigned axis : group.axes)
    if (kernel.getExtents()[axis] >= kLeastExtent &&
        getUsualStride(load, kernel.getAxis(axis)) == 1)
      return axis;
  return std::nullopt;
}

} // namespace

std::optional<Transposition> tw::schedule::findTransposition(KernelOp kernel, const AxisSets &sets,
                                                             const AxisGroup &group) {
  unsigned stored = group.fastest();
  if (kernel.getExtents()[stored] < kLeastExtent)
    return std::nullopt;
  std::optional<unsigned> loaded;
  for (auto load : kernel.getBody().getOps<LoadOp>()) {
    auto stride = getUsualStride(load, kernel.getAxis(stored));
    bool isLarge = sets.points(sets.of(load.getResult())) * 2 >= group.extent;
    if (isLarge && stride && std::abs(*stride) > kNear && !loaded)
      loaded = getContiguous(kernel, group, load);
  }
  if (!loaded)
    return std::nullopt;
  SmallVector<unsigned> left(group.axes);
  auto grow = [&](unsigned fastest) {
    SmallVector<unsigned> axes{fastest};
    llvm::erase(left, fastest);
    for (bool found = true; found;) {
      found = false;
      for (unsigned axis : left)
        if (axis != stored && axis != *loaded && mergeLinearly(kernel, axis, axes.front())) {
          axes.insert(axes.begin(), axis);
          llvm::erase(left, axis);
          found = true;
          break;
        }
    }
    return makeGroup(kernel, group, axes);
  };
  Transposition result;
  result.written = grow(stored);
  result.read = grow(*loaded);
  for (unsigned axis : left)
    result.rest.push_back(makeGroup(kernel, group, axis));
  return result;
}
