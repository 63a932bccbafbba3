// Greedy: at the largest live set, the step that is cheapest to run again for the bytes that it
// frees there, or there and in all other live sets above the limit, until all are small enough;
// then what runs again though there is room for its results by now, is kept. The cheaper one stays.
#include "MemoryPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <cassert>
#include <functional>

using namespace llvm;
using namespace tw::schedule;

/// Repetitions for each step of the program, after which it is given up.
static constexpr unsigned kMostRepetitions = 16;
/// Repetitions that are tried, of which the best one stays: those that free bytes at the largest
/// live set for the fewest cycles.
static constexpr unsigned kMostTrials = 24;

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
  if (measure(most).peak <= most)
    return true;
  // Neither of both is the better one for every program.
  MemoryPlan first = *this;
  bool fits = first.reach(most, 1), fitsToo = reach(most, kMostTrials);
  if (std::tuple(!fits, fits ? first.getCycles() : double(first.getPeak().first)) <
      std::tuple(!fitsToo, fitsToo ? getCycles() : double(getPeak().first)))
    *this = std::move(first);
  return fits || fitsToo;
}

bool MemoryPlan::reach(int64_t most, unsigned trials) {
  size_t rounds = kMostRepetitions * steps.size();
  for (Measure now = measure(most); now.peak > most; --rounds)
    if (rounds == 0 || !improve(most, trials, now))
      return false;
  keepAgain(most);
  return true;
}

double MemoryPlan::getCycles() const {
  double cycles = 0;
  for (const Step &step : steps)
    cycles += step.cycles;
  return cycles;
}

unsigned MemoryPlan::countThirds() const {
  DenseMap<unsigned, unsigned> runs;
  return count_if(steps, [&](const Step &step) { return ++runs[step.number] > 2; });
}

bool MemoryPlan::improve(int64_t most, unsigned mostTrials, Measure &now) {
  SmallVector<Step> before = steps, best;
  SmallVector<int64_t> sizesBefore = sizes, bestSizes;
  double cycles = getCycles();
  unsigned thirds = countThirds();
  std::pair<bool, double> least;
  Measure bestMeasure;
  unsigned trials = 0;
  for (const Repetition &each : findRepetitions(now.at)) {
    if (repeat(each)) {
      Measure next = measure(most);
      if (next.peak <= now.peak && next.excess < now.excess) {
        std::pair price(countThirds() > thirds,
                        (getCycles() - cycles) / (now.excess - next.excess));
        if (trials++ == 0 || price < least)
          std::tie(least, best, bestSizes, bestMeasure) = std::tuple(price, steps, sizes, next);
      }
    }
    steps = before;
    sizes = sizesBefore;
    if (trials == mostTrials)
      break;
  }
  if (trials == 0)
    return false;
  std::tie(steps, sizes, now) = std::tuple(best, bestSizes, bestMeasure);
  return true;
}

bool MemoryPlan::keepInstead(unsigned copy, int64_t most) {
  auto *original =
      find_if(steps, [&](const Step &step) { return step.number == steps[copy].number; });
  if (original == steps.begin() + copy)
    return false;
  // Of several runs the last one before.
  for (auto *other = std::next(original); other != steps.begin() + copy; ++other)
    if (other->number == original->number)
      original = other;
  SmallVector<Step> before = steps;
  DenseMap<unsigned, unsigned> kept;
  for (auto [again, first] : zip(steps[copy].makes, original->makes))
    kept[again] = first;
  steps.erase(steps.begin() + copy);
  replace(kept, copy);
  removeUnread();
  if (measure(most).peak <= most)
    return true;
  steps = std::move(before);
  return false;
}

void MemoryPlan::keepAgain(int64_t most) {
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<unsigned> copies;
    for (auto [i, step] : enumerate(steps))
      if (step.isCopy)
        copies.push_back(i);
    llvm::sort(copies, [&](unsigned a, unsigned b) {
      return std::pair(-steps[a].cycles, a) < std::pair(-steps[b].cycles, b);
    });
    for (unsigned copy : copies)
      if ((changed = keepInstead(copy, most)))
        break;
  }
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
