// The table of the host's strategies, and the choice among what they propose.
#include "Rewritten.h"
#include "Strategies.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Transforms/NarrowPositions.h"
#include "tw/Schedule/Exactness.h"
#include "tw/Schedule/Plan.h"
#include "tw/Schedule/Strategy.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// In the order in which they are asked; the first one that has legal candidates decides.
static constexpr host::Propose strategies[] = {
    host::proposeDots,      host::proposeDotConvolution,    host::proposeWidened,
    host::proposeWindow,    host::proposeChannelsLast,      host::proposeConvolution,
    host::proposeParts,     host::proposeMergedContraction, host::proposeContraction,
    host::proposeAttention, host::proposeElementwise,       host::proposeRows,
    host::proposeScan,      host::proposeGeneral,
};

/// Whether programs that differ along an axis only, which a store does not have, all compute and
/// store the same there.
static bool repeatsStores(KernelOp kernel, ScheduleAttr schedule) {
  auto stores = kernel.getBody().getOps<StoreOp>();
  if (llvm::hasSingleElement(stores))
    return false;
  llvm::SmallDenseMap<StringAttr, llvm::SmallBitVector> axes; // of the leaves
  for (auto [i, name] : llvm::enumerate(kernel.getAxisNames().getAsRange<StringAttr>()))
    axes.try_emplace(name, kernel.getNumAxes()).first->second.set(i);
  auto define = [&](StringAttr name, const llvm::SmallBitVector &of) { axes[name] = of; };
  llvm::SmallBitVector inGrid(kernel.getNumAxes());
  for (Attribute primitive : schedule.getPrimitives()) {
    if (auto merge = dyn_cast<MergeAttr>(primitive)) {
      llvm::SmallBitVector all(kernel.getNumAxes());
      for (StringAttr part : merge.getParts())
        all |= axes[part];
      define(merge.getAxis(), all);
    } else if (auto split = dyn_cast<SplitAttr>(primitive)) {
      llvm::SmallBitVector whole = axes[split.getAxis()];
      for (StringAttr part : split.getParts())
        define(part, whole);
    } else if (auto grid = dyn_cast<GridAttr>(primitive)) {
      for (StringAttr leaf : grid.getAxes())
        inGrid |= axes[leaf];
    }
  }
  AxisSets sets(kernel);
  return llvm::any_of(stores, [&](StoreOp store) {
    llvm::SmallBitVector stored(kernel.getNumAxes());
    for (Value index : store.getIndices())
      stored |= sets.of(index);
    llvm::SmallBitVector repeated = inGrid;
    repeated.reset(stored);
    return sets.points(repeated) > 1;
  });
}

/// Drops what the kernel cannot have, or may not.
static void dropRefused(KernelOp kernel, bool exactOnly,
                        SmallVectorImpl<HostCandidate> &candidates) {
  llvm::erase_if(candidates, [&](const HostCandidate &candidate) {
    std::string why;
    return !isLegal(kernel, candidate.schedule, why) ||
           (exactOnly && !isExact(kernel, candidate.schedule, why));
  });
}

void host::proposeProducts(KernelOp kernel, const HostTraits &traits,
                           SmallVectorImpl<HostCandidate> &candidates) {
  for (Propose propose : {proposeConvolution, proposeParts, proposeMergedContraction,
                          proposeContraction, proposeAttention}) {
    propose(kernel, traits, candidates);
    dropRefused(kernel, /*exactOnly=*/false, candidates);
    if (!candidates.empty())
      return;
  }
}

SmallVector<HostCandidate>
tw::schedule::proposeHostSchedules(KernelOp kernel, const HostTraits &traits, bool exactOnly) {
  SmallVector<HostCandidate> candidates;
  // Loops without points are as good as any.
  if (llvm::is_contained(kernel.getExtents(), 0))
    return candidates;
  for (host::Propose propose : strategies) {
    propose(kernel, traits, candidates);
    dropRefused(kernel, exactOnly, candidates);
    llvm::erase_if(candidates, [&](const HostCandidate &candidate) {
      return repeatsStores(kernel, candidate.schedule);
    });
    if (!candidates.empty())
      break;
  }
  if (candidates.empty() && exactOnly)
    host::proposeExact(kernel, traits, candidates);
  dropRefused(kernel, exactOnly, candidates);
  // Equal ones stay in the order in which they were proposed.
  auto byCycles = [](const HostCandidate &a, const HostCandidate &b) {
    return a.estimate.cycles() < b.estimate.cycles();
  };
  for (auto *it = candidates.begin(); it != candidates.end(); ++it)
    std::rotate(std::upper_bound(candidates.begin(), it, *it, byCycles), it, it + 1);
  return candidates;
}

ScheduleAttr tw::schedule::makeHostSchedule(KernelOp kernel, const HostTraits &traits,
                                            bool exactOnly) {
  SmallVector<HostCandidate> candidates = proposeHostSchedules(kernel, traits, exactOnly);
  return candidates.empty() ? ScheduleAttr::get(kernel.getContext(), {})
                            : candidates.front().schedule;
}

namespace {

class HostStrategy : public Strategy {
public:
  bool setMachine(StringRef text, std::string &wrong) override {
    return parseTraits(text, traits, wrong);
  }

  void prepare(KernelOp kernel) const override { kernel::narrowPositions(kernel); }

  ScheduleAttr choose(KernelOp kernel, bool exactOnly) const override {
    return makeHostSchedule(kernel, traits, exactOnly);
  }

private:
  HostTraits traits;
};

} // namespace

void tw::schedule::registerHostStrategy() {
  registerStrategy("host",
                   []() -> std::unique_ptr<Strategy> { return std::make_unique<HostStrategy>(); });
}
