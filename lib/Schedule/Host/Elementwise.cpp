// Elementwise kernels whose memory is contiguous along one axis: vectors along it, a run of axes as
// long as the accesses allow, and stores past the caches for what does not fit them.
#include "Accesses.h"
#include "ListBuilder.h"
#include "Strategies.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

/// Programs enough for any pool of threads to share evenly.
static constexpr int64_t kPrograms = 64;

void tw::schedule::host::proposeElementwise(KernelOp kernel, const HostTraits &traits,
                                            SmallVectorImpl<HostCandidate> &candidates) {
  for (Operation &op : kernel.getBody().front())
    if (isa<ReduceOp, ContractOp, ScanOp>(op))
      return;
  AxisSets sets(kernel);
  SmallVector<AxisGroup> groups = findAxisGroups(kernel, sets, /*apart=*/false);
  if (groups.size() != 1 || !groups.front().everywhere)
    return;
  Accesses accesses(kernel, sets);
  SmallVector<AxisGroup> runs = accesses.findRuns(groups.front());
  if (runs.empty() || runs.back().extent < traits.lanes ||
      !accesses.areContiguous(runs.back().fastest()))
    return;
  const AxisGroup &run = runs.back();

  // Functions hold many constants and intermediate values.
  bool functions =
      llvm::any_of(kernel.getBody().front(), [](Operation &op) { return isExpensive(&op); });
  int64_t vectors = functions ? std::max<int64_t>(1, traits.registers / 16) : 4;
  int64_t width = traits.lanes * vectors;
  while (width > traits.lanes && width > run.extent)
    width /= 2;

  ListBuilder list(kernel);
  int64_t programs = 1;
  for (const AxisGroup &other : ArrayRef(runs).drop_back()) {
    list.grid.push_back(list.merge(other));
    programs *= other.extent;
  }
  StringAttr axis = list.merge(run);
  int64_t steps = llvm::divideCeil(run.extent, width);
  if (width == run.extent) {
    list.tile.push_back(axis);
  } else if (programs >= kPrograms || steps == 1) {
    SmallVector<StringAttr> parts = list.split(axis, run.extent, {width});
    list.order.push_back(parts[0]);
    list.tile.push_back(parts[1]);
  } else {
    // A part of the run to a program: as many steps as divide it, up to a page of each access.
    constexpr int64_t kMostSteps = 16;
    int64_t block = 1, most = std::min(kMostSteps, steps * programs / kPrograms);
    for (int64_t factor = 2; factor <= most; ++factor)
      if (steps % factor == 0)
        block = factor;
    if (block == 1) {
      SmallVector<StringAttr> parts = list.split(axis, run.extent, {width});
      list.grid.push_back(parts[0]);
      list.tile.push_back(parts[1]);
    } else {
      SmallVector<StringAttr> parts = list.split(axis, run.extent, {block, width});
      list.grid.push_back(parts[0]);
      list.order.push_back(parts[1]);
      list.tile.push_back(parts[2]);
    }
  }
  SmallVector<int64_t> streamed = findStreamedResults(kernel, traits);
  for (int64_t result : streamed)
    list.stream(result);
  candidates.push_back({"elementwise", list.finish(),
                        estimateSweep(kernel, sets, accesses, traits, !streamed.empty())});
}
