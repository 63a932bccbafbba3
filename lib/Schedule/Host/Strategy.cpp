// The table of the host's strategies, and the choice among what they propose.
#include "Rewritten.h"
#include "Strategies.h"

#include "tw/Schedule/Exactness.h"
#include "tw/Schedule/Plan.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// In the order in which they are asked; the first one that has legal candidates decides.
static constexpr host::Propose strategies[] = {
    host::proposeDots,
    host::proposeDotConvolution,
    host::proposeWidened,
    host::proposeWindow,
    host::proposeChannelsLast,
    host::proposeConvolution,
    host::proposeParts,
    host::proposeMergedContraction,
    host::proposeContraction,
    host::proposeAttention,
    host::proposeElementwise,
    host::proposeRows,
    host::proposeScan,
    host::proposeGeneral,
};

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
  for (host::Propose propose : strategies) {
    propose(kernel, traits, candidates);
    dropRefused(kernel, exactOnly, candidates);
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
