// Reductions of much memory to few results: the memory is cut into parts, one for each program,
// whose partial results a second kernel combines.
//
// Rows, columns, products with a vector and reductions of everything are alike here: each element
// of one large tensor is used about once, so that threads should each walk through a part of it
// from end to end. The parts are those of the slowest axis in memory along which the tensor is
// reduced, of lengths that tiles and streams divide.
#include "Accesses.h"
#include "Balance.h"
#include "ListBuilder.h"
#include "Strategies.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

/// Programs that keep a few threads busy; more only add to what is combined.
constexpr int64_t kFewestPrograms = 4;
/// Points of a part that tiles and streams of rows divide, and points of a short axis.
constexpr int64_t kUnit = 64, kSmallUnit = 8;
/// Reduced points for each partial result, so that the second kernel costs next to nothing.
constexpr int64_t kPointsPerPart = 32;

class Parts {
public:
  Parts(KernelOp kernel, const HostTraits &traits)
      : kernel(kernel), traits(traits), sets(kernel), accesses(kernel, sets), list(kernel) {}

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    if (!match() || !findRun())
      return;
    int64_t length = chooseLength();
    if (length == 0)
      return;
    StringAttr axis = list.merge(run);
    list.factor(reduction, axis, length);
    candidates.push_back({"parts", list.finish()});
  }

private:
  /// One reduction, of a tensor beyond the second-level cache whose elements are each used once or
  /// twice.
  bool match() {
    for (Operation &op : kernel.getBody().front()) {
      if (isa<ScanOp>(op) || (isa<ReduceOp, ContractOp>(op) && reduction))
        return false;
      if (isa<ReduceOp, ContractOp>(op))
        reduction = &op;
    }
    if (!reduction)
      return false;
    for (const Access &access : accesses.all())
      if (!access.isStore && (!largest || access.getBytes() > largest->getBytes()))
        largest = &access;
    if (!largest || largest->getBytes() <= traits.l2Bytes)
      return false;
    llvm::SmallBitVector points = sets.of(reduction->getResult(0));
    points |= sets.reducedBy(reduction);
    return sets.points(points) <= 2 * largest->type.getNumElements();
  }

  /// The reduced run that is slowest in memory, where few programs lie outside of it.
  bool findRun() {
    std::optional<int64_t> slowest;
    for (const AxisGroup &group : findAxisGroups(kernel, sets, /*apart=*/false)) {
      if (!group.reduced)
        continue;
      for (const AxisGroup &candidate : accesses.findRuns(group)) {
        std::optional<int64_t> stride = accesses.getStride(*largest, candidate.fastest());
        if (!stride || *stride == 0)
          return false;
        int64_t reach = std::abs(*stride) * candidate.extent;
        if (candidate.extent >= 2 * kPointsPerPart && (!slowest || reach > *slowest)) {
          slowest = reach;
          run = candidate;
        }
      }
    }
    if (!slowest)
      return false;
    for (unsigned axis : sets.of(reduction->getResult(0)).set_bits()) {
      std::optional<int64_t> stride = accesses.getStride(*largest, axis);
      if (!stride)
        return false;
      if (std::abs(*stride) >= *slowest)
        outside *= kernel.getExtents()[axis];
    }
    return outside < kFewestPrograms;
  }

  /// The length that leaves the least at the end, of those that make enough parts; 0 for none.
  int64_t chooseLength() {
    int64_t most = std::min(run.extent / kPointsPerPart, 2 * programsFor(traits) / outside);
    int64_t unit = run.extent >= 2 * kFewestPrograms * kUnit ? kUnit : kSmallUnit;
    int64_t best = 0, least = run.extent;
    for (int64_t parts = most; parts >= 2 && parts * outside >= kFewestPrograms; --parts) {
      int64_t length = run.extent / parts / unit * unit;
      if (length == 0)
        continue;
      int64_t left = run.extent % length;
      if (left < least || (left == least && parts * outside >= programsFor(traits))) {
        best = length;
        least = left;
      }
    }
    return best;
  }

  KernelOp kernel;
  const HostTraits &traits;
  AxisSets sets;
  Accesses accesses;
  ListBuilder list;
  Operation *reduction = nullptr;
  const Access *largest = nullptr;
  AxisGroup run;
  /// Points of the axes that are slower in memory.
  int64_t outside = 1;
};

} // namespace

void tw::schedule::host::proposeParts(KernelOp kernel, const HostTraits &traits,
                                      SmallVectorImpl<HostCandidate> &candidates) {
  Parts(kernel, traits).propose(candidates);
}
