// Greedy: at the largest live set, the step that is cheapest to run again for the bytes that it
// frees, until all live sets are small enough.
#include "MemoryPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <cassert>
#include <functional>

using namespace llvm;
using namespace tw::schedule;

/// Repetitions for each step of the program, after which it is given up.
static constexpr unsigned kMostRepetitions = 16;

unsigned MemoryPlan::addValue(int64_t size) {
  sizes.push_back(size);
  return sizes.size() - 1;
}

SmallVector<MemoryPlan::Lifetime> MemoryPlan::getLifetimes() const {
  SmallVector<Lifetime> lifetimes(sizes.size());
  SmallVector<unsigned> readers(sizes.size(), 0);
  for (auto [i, step] : enumerate(steps)) {
    for (unsigned value : step.makes)
      lifetimes[value] = {unsigned(i), unsigned(i)};
    for (unsigned value : step.reads) {
      Lifetime &lifetime = lifetimes[value];
      lifetime = {lifetime.isEmpty() ? 0 : lifetime.first, unsigned(i)};
      ++readers[value];
    }
  }
  for (const Step &step : steps)
    if (step.takesOver && readers[*step.takesOver] == 1) {
      Lifetime &lifetime = lifetimes[*step.takesOver];
      lifetime.last = std::max(lifetime.first, lifetime.last - 1);
    }
  return lifetimes;
}

MemoryPlan::Measure MemoryPlan::measure(int64_t most) const {
  SmallVector<int64_t> change(steps.size() + 1, 0);
  for (auto [value, lifetime] : enumerate(getLifetimes())) {
    if (lifetime.isEmpty())
      continue;
    change[lifetime.first] += sizes[value];
    change[lifetime.last + 1] -= sizes[value];
  }
  Measure all;
  int64_t live = 0;
  for (auto [i, step] : enumerate(steps)) {
    live += change[i];
    if (live + step.own > all.peak)
      all.peak = live + step.own, all.at = i;
    all.excess += std::max<double>(0, double(live + step.own) - double(most));
  }
  return all;
}

std::pair<int64_t, unsigned> MemoryPlan::getPeak() const {
  Measure all = measure(0);
  return {all.peak, all.at};
}

bool MemoryPlan::fit(int64_t most) {
  size_t rounds = kMostRepetitions * steps.size();
  for (Measure now = measure(most); now.peak > most; --rounds)
    if (rounds == 0 || !improve(most, now))
      return false;
  return true;
}

bool MemoryPlan::improve(int64_t most, Measure &now) {
  SmallVector<Step> before = steps;
  size_t values = sizes.size();
  for (const Repetition &each : findRepetitions(now.at)) {
    if (repeat(each)) {
      Measure next = measure(most);
      if (next.peak <= now.peak && next.excess < now.excess) {
        now = next;
        return true;
      }
    }
    steps = before;
    sizes.truncate(values);
  }
  return false;
}

SmallVector<MemoryPlan::Repetition> MemoryPlan::findRepetitions(unsigned peak) const {
  SmallVector<Lifetime> lifetimes = getLifetimes();
  SmallVector<SmallVector<unsigned, 2>> readers(sizes.size());
  for (auto [i, step] : enumerate(steps))
    for (unsigned value : step.reads)
      readers[value].push_back(i);
  // Cycles of the step, and bytes that are to be kept for it across the peak.
  auto count = [&](const Step &step, bool follows) {
    double cycles = step.cycles;
    int64_t kept = 0;
    SmallSetVector<unsigned, 8> values(step.reads.begin(), step.reads.end());
    for (size_t i = 0; i < values.size(); ++i) {
      unsigned value = values[i];
      if (sizes[value] == 0 || lifetimes[value].last >= peak)
        continue;
      const Step &source = steps[lifetimes[value].first];
      if (follows && source.mayRepeat) {
        cycles += source.cycles;
        values.insert_range(source.reads);
      } else {
        kept += sizes[value];
      }
    }
    return std::pair(cycles, kept);
  };
  SmallVector<Repetition> found;
  for (unsigned i = 0; i < peak; ++i) {
    const Step &step = steps[i];
    if (!step.mayRepeat)
      continue;
    unsigned at = steps.size();
    int64_t freed = 0;
    bool isLate = true; // nothing reads it before
    for (unsigned value : step.makes) {
      auto next = upper_bound(readers[value], peak);
      isLate &= next == readers[value].begin();
      if (sizes[value] == 0 || next == readers[value].end() ||
          (next != readers[value].begin() && *std::prev(next) == peak))
        continue;
      freed += sizes[value];
      at = std::min(at, *next);
    }
    if (freed == 0)
      continue;
    for (bool follows : {false, true}) {
      auto [cycles, kept] = count(step, follows);
      if (freed > kept)
        found.push_back(
            {i, at, peak, follows, isLate && !follows ? 0 : cycles / double(freed - kept)});
    }
  }
  findEarlier(peak, lifetimes, readers, found);
  llvm::sort(found, [](const Repetition &a, const Repetition &b) {
    return std::tuple(a.price, a.step, a.follows) < std::tuple(b.price, b.step, b.follows);
  });
  return found;
}

void MemoryPlan::findEarlier(unsigned peak, ArrayRef<Lifetime> lifetimes,
                             ArrayRef<SmallVector<unsigned, 2>> readers,
                             SmallVectorImpl<Repetition> &found) const {
  for (unsigned i = peak + 1; i < steps.size(); ++i) {
    unsigned at = 0;
    int64_t freed = 0;
    for (unsigned value : steps[i].reads) {
      at = std::max(at, lifetimes[value].first + 1);
      if (*upper_bound(readers[value], peak) == i && lifetimes[value].last == i)
        freed += sizes[value];
    }
    for (unsigned value : steps[i].makes)
      freed -= sizes[value];
    // Behind all others that read what it writes to.
    for (auto [value, writer] : ends)
      for (unsigned reader : readers[value])
        if (writer == steps[i].number && reader != i)
          at = std::max(at, reader + 1);
    if (steps[i].mayMove && at <= peak && freed > 0)
      found.push_back({i, at, peak, false, 0});
  }
}

bool MemoryPlan::advance(unsigned number, unsigned at) {
  Step step = steps[number];
  steps.erase(steps.begin() + number);
  for (auto [value, writer] : ends)
    if (writer == step.number && any_of(drop_begin(steps, at), [value = value](const Step &other) {
          return is_contained(other.reads, value);
        }))
      return false;
  DenseMap<unsigned, unsigned> made;
  for (unsigned &value : step.makes)
    value = made[value] = addValue(sizes[value]);
  step.isCopy = true;
  steps.insert(steps.begin() + at, std::move(step));
  replace(made, at);
  return true;
}

void MemoryPlan::replace(const DenseMap<unsigned, unsigned> &copies, unsigned at) {
  for (Step &step : MutableArrayRef(steps).drop_front(at))
    for (unsigned &value : step.reads)
      if (auto it = copies.find(value); it != copies.end()) {
        if (step.takesOver == value)
          step.takesOver = it->second;
        value = it->second;
      }
}

bool MemoryPlan::repeat(const Repetition &what) {
  if (what.step > what.at)
    return advance(what.step, what.at);
  SmallVector<Lifetime> lifetimes = getLifetimes();
  DenseMap<unsigned, unsigned> made; // a value and its copy
  SmallVector<Step> copies;
  std::function<void(unsigned)> copy = [&](unsigned number) {
    Step step = steps[number];
    step.isCopy = true;
    for (unsigned &value : step.reads) {
      bool isGone = sizes[value] > 0 && lifetimes[value].last < what.peak;
      if (what.follows && isGone && !made.contains(value) &&
          steps[lifetimes[value].first].mayRepeat)
        copy(lifetimes[value].first);
      if (auto it = made.find(value); it != made.end())
        value = it->second;
    }
    for (unsigned &value : step.makes) {
      unsigned again = addValue(sizes[value]);
      made[value] = again;
      value = again;
    }
    copies.push_back(std::move(step));
  };
  copy(what.step);
  for (const Step &step : copies)
    for (unsigned value : step.reads)
      if (auto it = ends.find(value); it != ends.end())
        for (const Step &before : ArrayRef(steps).take_front(what.at))
          if (before.number == it->second)
            return false;
  replace(made, what.at);
  steps.insert(steps.begin() + what.at, copies.begin(), copies.end());
  removeUnread();
  return true;
}

void MemoryPlan::removeUnread() {
  SmallVector<bool> isRead(sizes.size(), false);
  SmallVector<Step> kept;
  for (Step &step : reverse(steps)) {
    if (step.mayRepeat && none_of(step.makes, [&](unsigned value) { return isRead[value]; }))
      continue;
    for (unsigned value : step.reads)
      isRead[value] = true;
    kept.push_back(std::move(step));
  }
  std::reverse(kept.begin(), kept.end());
  steps = std::move(kept);
}
