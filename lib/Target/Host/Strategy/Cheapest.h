// What a strategy could choose, decided by price one decision after another.
#pragma once

#include "Price.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tw::schedule::host {

/// Choices of a strategy with the lists that they become. A strategy adds the choices that differ
/// in one decision, keeps the cheapest, and adds what these leave to the next decision.
template <typename Choice> class Cheapest {
public:
  using Write = llvm::function_ref<kernel::ScheduleAttr(const Choice &)>;

  /// `write` makes the list of a choice; it lives as long as this does.
  Cheapest(kernel::KernelOp kernel, const HostTraits &traits, Write write)
      : kernel(kernel), traits(traits), write(write) {}

  void add(const Choice &choice) {
    kernel::ScheduleAttr list = write(choice);
    if (llvm::is_contained(lists, list))
      return;
    lists.push_back(list);
    choices.push_back(choice);
    candidates.push_back({"", list});
  }

  /// Leaves the cheapest, of equal ones those added first, in order; drops what has no price.
  void keep(size_t most) {
    priceAll(kernel, traits, candidates, most);
    llvm::SmallVector<std::pair<int64_t, size_t>> order;
    for (auto [i, candidate] : llvm::enumerate(candidates))
      if (candidate.cycles > 0)
        order.push_back({rankOf(candidate, traits), i});
    llvm::sort(order);
    llvm::SmallVector<Choice, 0> keptChoices;
    llvm::SmallVector<HostCandidate, 0> kept;
    for (auto [price, i] : llvm::ArrayRef(order).take_front(most)) {
      keptChoices.push_back(choices[i]);
      kept.push_back(candidates[i]);
    }
    choices = std::move(keptChoices);
    candidates = std::move(kept);
  }

  /// The price of the cheapest of what is kept; infinity if that is nothing.
  double getLeast() const { return candidates.empty() ? kUnlimited : candidates.front().cycles; }

  /// What is kept, a copy: it can be added to.
  llvm::SmallVector<Choice, 0> get() const { return choices; }

  void propose(llvm::StringRef strategy, llvm::SmallVectorImpl<HostCandidate> &proposed) const {
    for (HostCandidate candidate : candidates) {
      candidate.strategy = strategy;
      proposed.push_back(candidate);
    }
  }

private:
  kernel::KernelOp kernel;
  const HostTraits &traits;
  Write write;
  /// Of all that was added.
  llvm::SmallVector<kernel::ScheduleAttr> lists;
  llvm::SmallVector<Choice, 0> choices;
  llvm::SmallVector<HostCandidate, 0> candidates;
};

} // namespace tw::schedule::host
