// How long the parts of a reduction or a scan are, if there are too few of them for the programs of
// a device.
#include "GpuParts.h"

#include "ScheduleBuilder.h"
#include "tw/Dialect/Kernel/Transforms/FactorReduction.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// Parts that are made for each program that would keep the device busy.
constexpr int64_t kPartsEach = 4;
/// Elements that a program combines at least, and parts that are worth a second kernel.
constexpr int64_t kPart = 8192, kFewestParts = 4;
/// Parts begin where vectors and lines of the caches do, unless that leaves more than this.
constexpr int64_t kUnit = 64, kMostLeft = 2 * kPart;

/// About `parts` parts, from a quarter more down to half as many where that leaves less at the end,
/// which takes a launch.
int64_t chooseLength(int64_t extent, int64_t parts) {
  int64_t best = extent / parts, least = kMostLeft;
  for (int64_t count = parts + parts / 4; count >= std::max<int64_t>(2, parts / 2) && least > 0;
       --count) {
    int64_t length = extent / count / kUnit * kUnit;
    if (length > 0 && extent % length < least) {
      best = length;
      least = extent % length;
    }
  }
  return best;
}

/// The group that parts are made of: the longest one that is reduced, or the one that is scanned.
/// An axis that is reduced and stored as well would run again through the kernel that combines; how
/// many parts there are is fixed.
const AxisGroup *findTakenApart(Operation *op, ArrayRef<AxisGroup> groups) {
  const AxisGroup *best = nullptr;
  for (const AxisGroup &group : groups) {
    if (auto scan = dyn_cast<ScanOp>(op)) {
      if (group.axes[0] == cast<BlockArgument>(scan.getAxis()).getArgNumber())
        best = &group;
    } else if (group.reduced && (!best || group.extent > best->extent)) {
      best = &group;
    }
  }
  return best && !best->settled && (isa<ScanOp>(op) || !best->stored) ? best : nullptr;
}

} // namespace

std::optional<GpuParts> tw::schedule::findGpuParts(KernelOp kernel, const AxisSets &sets,
                                                   ArrayRef<AxisGroup> groups, int64_t programs,
                                                   int64_t enough) {
  GpuParts parts{};
  for (Operation &op : kernel.getBody().front()) {
    if (!isa<ReduceOp, ContractOp, ScanOp>(op))
      continue;
    auto scan = dyn_cast<ScanOp>(op);
    if (parts.reduction || (scan && !scan.getKind()))
      return std::nullopt;
    parts.reduction = &op;
  }
  if (!parts.reduction || programs >= enough)
    return std::nullopt;
  const AxisGroup *taken = findTakenApart(parts.reduction, groups);
  if (!taken)
    return std::nullopt;
  bool isScan = isa<ScanOp>(parts.reduction);
  int64_t points = sets.points(sets.of(parts.reduction->getResult(0)));
  for (const AxisGroup &group : groups)
    if (group.reduced && !isScan)
      points *= group.extent;
  int64_t count =
      std::min({kPartsEach * enough / programs, points / programs / kPart, taken->extent / 2});
  if (count < kFewestParts)
    return std::nullopt;
  parts.reduced = *taken;
  // A point of a scan finds its part by a shift; what the last part lacks is left out.
  parts.length = isScan ? int64_t(llvm::bit_floor(uint64_t(taken->extent / count)))
                        : chooseLength(taken->extent, count);
  if (isScan && taken->extent % parts.length != 0 &&
      mayTrapBehindEnd(cast<ScanOp>(parts.reduction)))
    return std::nullopt;
  return parts;
}

/// The length of so many parts, or of the next number of them that divides the axis; 0 if none
/// does.
static int64_t chooseDivisor(int64_t extent, int64_t parts) {
  // What a maximum leads is worth a second kernel for more than a tile of it.
  constexpr int64_t kLedPart = 32;
  int64_t most = extent / kLedPart, best = 0;
  for (int64_t count = 2; count <= most && best < parts; ++count)
    if (extent % count == 0)
      best = count;
  return best == 0 ? 0 : extent / best;
}

ScheduleAttr tw::schedule::writeLedParts(KernelOp kernel, int64_t parts) {
  AxisSets sets(kernel);
  for (const AxisGroup &group : findAxisGroups(kernel, sets, /*apart=*/true)) {
    if (!group.reduced || group.stored || group.settled || group.axes.size() != 1)
      continue;
    int64_t length = chooseDivisor(group.extent, parts);
    for (Operation &op : kernel.getBody().front())
      if (length != 0 && isa<ReduceOp, ContractOp>(op) &&
          isLedByMaximum(kernel, &op, group.axes[0])) {
        ScheduleBuilder builder(kernel, sets);
        builder.addFactor(&op, "total", group, length);
        return builder.finish(/*warps=*/0);
      }
  }
  return {};
}
