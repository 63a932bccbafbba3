// The beam: rounds in which each list that is followed is changed a few times.
#include "tw/Schedule/Search.h"

#include "tw/Schedule/Drawing.h"

#include <limits>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// A list that is followed, and what is left to change it to.
struct State {
  PricedList list;
  /// In the order in which they were found.
  unsigned number;
  std::optional<SmallVector<ScheduleAttr>> changes = {};
};

class Beam {
public:
  Beam(KernelOp kernel, const MoveSizes &sizes, const SearchLimits &limits,
       llvm::function_ref<std::optional<double>(ScheduleAttr, double)> price)
      : kernel(kernel), sizes(sizes), limits(limits), price(price) {}

  Searched run(ArrayRef<PricedList> starts) {
    for (const PricedList &start : starts)
      if (seen.insert(start.schedule).second)
        states.push_back({start, numFound++});
    sort();
    searched.best = states.front().list;
    searched.steps.push_back(searched.best);
    while (searched.states < limits.states && runRound())
      sort();
    return std::move(searched);
  }

private:
  /// Whether there was something to try.
  bool runRound() {
    SmallVector<State> found;
    bool tried = false;
    SmallVector<double> followed;
    for (const State &state : states)
      followed.push_back(state.list.price);
    for (State &state : states) {
      if (!state.changes)
        state.changes = findChanges(state.list.schedule);
      for (unsigned i = 0; i < limits.changes && !state.changes->empty(); ++i) {
        ScheduleAttr next = state.changes->pop_back_val();
        if (!seen.insert(next).second)
          continue;
        tried = true;
        if (searched.states++ >= limits.states)
          return false;
        // What is dearer than as many as are followed is not.
        double most = followed.size() < limits.width ? std::numeric_limits<double>::infinity()
                                                     : followed[limits.width - 1];
        if (std::optional<double> own = price(next, most)) {
          followed.insert(llvm::upper_bound(followed, *own), *own);
          found.push_back({{next, *own}, numFound++});
          keepBest(found.back().list);
        }
      }
    }
    for (State &state : found)
      states.push_back(std::move(state));
    return tried;
  }

  void keepBest(const PricedList &list) {
    if (list.price >= searched.best.price)
      return;
    searched.best = list;
    searched.steps.push_back(list);
  }

  /// Cheapest first, of equal prices what was found first.
  void sort() {
    llvm::sort(states, [](const State &a, const State &b) {
      return std::pair(a.list.price, a.number) < std::pair(b.list.price, b.number);
    });
    if (states.size() > limits.width)
      states.truncate(limits.width);
  }

  /// In an order of its own for each list, the same everywhere.
  SmallVector<ScheduleAttr> findChanges(ScheduleAttr schedule) {
    auto copy = cast<KernelOp>(kernel->clone());
    copy.setScheduleAttr(schedule);
    SmallVector<ScheduleAttr> changes;
    std::string why;
    if (FailureOr<Plan> plan = makePlan(copy, why); succeeded(plan))
      changes = Moves(copy, schedule, *plan, sizes).collect();
    copy->erase();
    for (size_t i = changes.size(); i > 1; --i)
      std::swap(changes[i - 1], changes[random() % i]);
    return changes;
  }

  KernelOp kernel;
  const MoveSizes &sizes;
  const SearchLimits &limits;
  llvm::function_ref<std::optional<double>(ScheduleAttr, double)> price;
  SmallVector<State> states;
  unsigned numFound = 0;
  llvm::DenseSet<Attribute> seen;
  Random random{/*seed=*/1};
  Searched searched;
};

} // namespace

FailureOr<Searched>
tw::schedule::search(KernelOp kernel, ArrayRef<PricedList> starts, const MoveSizes &sizes,
                     const SearchLimits &limits,
                     llvm::function_ref<std::optional<double>(ScheduleAttr, double)> price) {
  if (starts.empty())
    return failure();
  return Beam(kernel, sizes, limits, price).run(starts);
}
