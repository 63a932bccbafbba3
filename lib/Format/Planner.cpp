// Arena planner: best fit in several orders, improved by moving whatever sticks out to the front.
#include "tw/Format/Planner.h"
#include "tw/Format/Checked.h"

#include <algorithm>
#include <memory>
#include <new>

using namespace tw::format;

namespace {

/// More intervals than this are placed in the order of time alone, where each is compared with
/// those that are alive; in other orders it is compared with all.
constexpr size_t maxSortedIntervals = 16384;
/// Rounds of improvement, and the number of placings of one interval they may take together.
constexpr unsigned maxRounds = 96;
constexpr uint64_t maxWork = 1u << 22;

template <typename T> std::unique_ptr<T[]> makeArray(size_t count) {
  return std::unique_ptr<T[]>(new (std::nothrow) T[count ? count : 1]);
}

struct Planner {
  std::span<const PlanInterval> intervals;
  PlanLimits limits;
  std::unique_ptr<uint64_t[]> sizes;
  std::unique_ptr<uint32_t[]> order, byOffset;
  std::unique_ptr<Placement[]> trial;
  std::unique_ptr<uint64_t[]> trialSlabs;

  bool allocate() {
    size_t count = intervals.size();
    sizes = makeArray<uint64_t>(count);
    order = makeArray<uint32_t>(count);
    byOffset = makeArray<uint32_t>(count);
    trial = makeArray<Placement>(count);
    trialSlabs = makeArray<uint64_t>(count);
    return sizes && order && byOffset && trial && trialSlabs;
  }

  bool alive(uint32_t a, uint32_t b) const {
    return intervals[a].first <= intervals[b].last && intervals[b].first <= intervals[a].last;
  }

  /// The smallest gap in `slab` that takes interval `item`, among the `placed` first entries of
  /// byOffset; the end of the slab counts as an endless gap. False if it would grow too large.
  bool findGap(uint32_t item, uint32_t slab, size_t placed, uint64_t &best) const {
    uint64_t bytes = sizes[item], end = 0, bestGap = UINT64_MAX;
    uint64_t alignment = intervals[item].alignment;
    bool found = false;
    for (size_t i = 0; i < placed; ++i) {
      uint32_t other = byOffset[i];
      if (trial[other].slab != slab || sizes[other] == 0 || !alive(item, other))
        continue;
      uint64_t start = (end + alignment - 1) & ~(alignment - 1);
      uint64_t offset = trial[other].offset;
      if (offset >= start && offset - start >= bytes && offset - start < bestGap) {
        bestGap = offset - start;
        best = start;
        found = true;
      }
      end = std::max(end, offset + sizes[other]);
    }
    if (found)
      return true;
    best = (end + alignment - 1) & ~(alignment - 1);
    return rangeWithin(best, bytes, limits.maxSlabBytes);
  }

  /// Places all intervals in `order`, which is that of their beginnings if `inTime`; returns the
  /// sum of the slabs.
  uint64_t place(uint32_t &slabCount, bool inTime) {
    slabCount = 0;
    size_t placed = 0;
    for (size_t n = 0; n < intervals.size(); ++n) {
      uint32_t item = order[n];
      if (inTime) {
        uint32_t now = intervals[item].first, *begin = byOffset.get();
        auto isOver = [&](uint32_t other) { return intervals[other].last < now; };
        placed = size_t(std::remove_if(begin, begin + placed, isOver) - begin);
      }
      Placement &place = trial[item];
      place = {};
      if (sizes[item] == 0)
        continue;
      for (;; ++place.slab) {
        if (place.slab == slabCount)
          trialSlabs[slabCount++] = 0;
        if (findGap(item, place.slab, placed, place.offset))
          break;
      }
      trialSlabs[place.slab] = std::max(trialSlabs[place.slab], place.offset + sizes[item]);
      uint32_t *at = std::upper_bound(
          byOffset.get(), byOffset.get() + placed, place.offset,
          [&](uint64_t offset, uint32_t other) { return offset < trial[other].offset; });
      std::move_backward(at, byOffset.get() + placed, byOffset.get() + placed + 1);
      *at = item;
      ++placed;
    }
    uint64_t total = 0;
    for (uint32_t i = 0; i < slabCount; ++i)
      total += trialSlabs[i];
    return total;
  }

  template <typename Key> void sortBy(Key key) {
    std::sort(order.get(), order.get() + intervals.size(), [&](uint32_t a, uint32_t b) {
      auto left = key(a), right = key(b);
      return left != right ? left > right : a < b;
    });
  }

  /// Moves the interval that ends highest in the last trial to the front of the order.
  void raiseHighest() {
    size_t highest = 0;
    uint64_t top = 0;
    for (size_t n = 0; n < intervals.size(); ++n) {
      uint64_t end = trial[order[n]].offset + sizes[order[n]];
      if (end >= top && sizes[order[n]] != 0) {
        top = end;
        highest = n;
      }
    }
    std::rotate(order.get(), order.get() + highest, order.get() + highest + 1);
  }
};

} // namespace

/// False if memory is short. The largest sum of sizes alive at one command.
static bool computePeak(std::span<const PlanInterval> intervals, const uint64_t *sizes,
                        uint64_t &peak) {
  size_t count = intervals.size();
  auto starts = makeArray<uint32_t>(count), ends = makeArray<uint32_t>(count);
  if (!starts || !ends)
    return false;
  for (uint32_t i = 0; i < count; ++i)
    starts[i] = ends[i] = i;
  std::sort(starts.get(), starts.get() + count,
            [&](uint32_t a, uint32_t b) { return intervals[a].first < intervals[b].first; });
  std::sort(ends.get(), ends.get() + count,
            [&](uint32_t a, uint32_t b) { return intervals[a].last < intervals[b].last; });
  uint64_t live = 0;
  peak = 0;
  for (size_t s = 0, e = 0; s < count; ++s) {
    for (; intervals[ends[e]].last < intervals[starts[s]].first; ++e)
      live -= sizes[ends[e]];
    live += sizes[starts[s]];
    peak = std::max(peak, live);
  }
  return true;
}

/// Checks the intervals and rounds their sizes up. False sets `bad`.
static bool roundSizes(Planner &planner, uint32_t &bad) {
  uint64_t sum = 0;
  for (size_t i = 0; i < planner.intervals.size(); ++i) {
    const PlanInterval &interval = planner.intervals[i];
    bad = uint32_t(i);
    uint64_t alignment = interval.alignment;
    if (interval.first > interval.last || alignment == 0 || (alignment & (alignment - 1)) != 0 ||
        !checkedAlign(interval.bytes, alignment, planner.sizes[i]) ||
        planner.sizes[i] > planner.limits.maxSlabBytes)
      return false;
    // Room for the sum of all with gaps of alignment keeps every later sum from overflowing.
    if (!checkedAdd(sum, planner.sizes[i], sum) || !checkedAdd(sum, alignment, sum) ||
        sum > UINT64_MAX / 2)
      return false;
  }
  return true;
}

namespace {

/// Tries orders one after the other and keeps the best plan.
struct Search {
  Planner &planner;
  const PlanLimits &limits;
  std::span<Placement> placements;
  std::span<uint64_t> slabBytes;
  PlanSummary &summary;
  std::span<uint32_t> bestOrder;
  uint64_t best = UINT64_MAX, pairs = 0;

  size_t count() const { return planner.intervals.size(); }
  uint64_t pairsOfAll() const { return uint64_t(count()) * count() + 1; }
  /// False while there is no plan.
  bool isDone() const {
    if (best == UINT64_MAX)
      return false;
    uint64_t peak = summary.peakLiveBytes;
    return best <= peak + peak / 100 * limits.slack || pairs >= limits.maxPairs;
  }

  /// Places in the planner's order, if that may still help.
  void attempt(bool inTime = false) {
    if (isDone())
      return;
    pairs += pairsOfAll();
    uint32_t slabs;
    uint64_t total = planner.place(slabs, inTime);
    if (total >= best)
      return;
    best = total;
    summary.slabCount = slabs;
    std::copy_n(planner.trial.get(), count(), placements.begin());
    std::copy_n(planner.trialSlabs.get(), slabs, slabBytes.begin());
    if (!bestOrder.empty())
      std::copy_n(planner.order.get(), count(), bestOrder.begin());
  }

  template <typename Key> void attemptBy(Key key, bool inTime = false) {
    if (isDone())
      return;
    planner.sortBy(key);
    attempt(inTime);
  }

  void run();
};

} // namespace

void Search::run() {
  auto intervals = planner.intervals;
  auto bytes = [&](uint32_t i) { return planner.sizes[i]; };
  auto span = [&](uint32_t i) { return uint64_t(intervals[i].last) - intervals[i].first + 1; };
  auto start = [&](uint32_t i) { return UINT32_MAX - intervals[i].first; };
  if (limits.order.size() == count()) {
    std::copy_n(limits.order.begin(), count(), planner.order.get());
    attempt();
  }
  if (count() > maxSortedIntervals)
    return attemptBy(start, /*inTime=*/true);
  attemptBy(bytes);
  attemptBy(start, /*inTime=*/true);
  attemptBy([&](uint32_t i) { return double(bytes(i)) * double(span(i)); });
  attemptBy(span);
  uint64_t work = 0;
  planner.sortBy(bytes);
  for (unsigned round = 0; round < maxRounds && work < maxWork && !isDone(); ++round) {
    attempt();
    planner.raiseHighest();
    work += pairsOfAll();
  }
}

PlanResult tw::format::planArena(std::span<const PlanInterval> intervals, const PlanLimits &limits,
                                 std::span<Placement> placements, std::span<uint64_t> slabBytes,
                                 PlanSummary &summary, uint32_t &bad,
                                 std::span<uint32_t> bestOrder) {
  summary = {};
  Planner planner{intervals, limits, {}, {}, {}, {}, {}};
  if (!planner.allocate())
    return PlanResult::OutOfMemory;
  if (!roundSizes(planner, bad))
    return PlanResult::BadInterval;
  if (!computePeak(intervals, planner.sizes.get(), summary.peakLiveBytes))
    return PlanResult::OutOfMemory;
  size_t count = intervals.size();
  for (size_t i = 0; i < count; ++i)
    planner.order[i] = uint32_t(i);
  Search{planner, limits, placements, slabBytes, summary, bestOrder}.run();
  // Intervals without bytes lie in a slab too.
  if (count > 0 && summary.slabCount == 0)
    slabBytes[summary.slabCount++] = 0;
  for (uint32_t i = 0; i < summary.slabCount; ++i)
    summary.totalBytes += slabBytes[i];
  return PlanResult::Ok;
}
