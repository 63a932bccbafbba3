// How long the parts of a reduction are, if it has too few results for the programs of a device.
#include "GpuParts.h"

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

/// About `parts` parts, or down to half as many where that leaves less at the end.
int64_t chooseLength(int64_t extent, int64_t parts) {
  int64_t best = extent / parts, least = kMostLeft;
  for (int64_t count = parts; count >= std::max<int64_t>(2, parts / 2) && least > 0; --count) {
    int64_t length = extent / count / kUnit * kUnit;
    if (length > 0 && extent % length < least) {
      best = length;
      least = extent % length;
    }
  }
  return best;
}

} // namespace

std::optional<GpuParts> tw::schedule::findGpuParts(KernelOp kernel, const AxisSets &sets,
                                                   ArrayRef<AxisGroup> groups, int64_t programs,
                                                   int64_t enough) {
  GpuParts parts{};
  for (Operation &op : kernel.getBody().front()) {
    if (isa<ScanOp>(op) || (isa<ReduceOp, ContractOp>(op) && parts.reduction))
      return std::nullopt;
    if (isa<ReduceOp, ContractOp>(op))
      parts.reduction = &op;
  }
  if (!parts.reduction || programs >= enough)
    return std::nullopt;
  const AxisGroup *reduced = nullptr;
  int64_t points = sets.points(sets.of(parts.reduction->getResult(0)));
  for (const AxisGroup &group : groups) {
    if (!group.reduced)
      continue;
    points *= group.extent;
    if (!reduced || group.extent > reduced->extent)
      reduced = &group;
  }
  // An axis that is stored as well would run again through the kernel that combines; how many parts
  // there are is fixed.
  if (!reduced || reduced->stored || reduced->settled)
    return std::nullopt;
  int64_t count =
      std::min({kPartsEach * enough / programs, points / programs / kPart, reduced->extent / 2});
  if (count < kFewestParts)
    return std::nullopt;
  parts.reduced = *reduced;
  parts.length = chooseLength(reduced->extent, count);
  return parts;
}
