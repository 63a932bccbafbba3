// The choice between lists of nearly equal prices.
#include "GpuRank.h"

#include <cmath>
#include <limits>

using namespace tw::schedule;

/// What prices may be off where something else speaks for a list, and what does not count where
/// one term grows.
static constexpr double kNear = 1.02, kEqual = 1.01;

/// How many times its price a list that spills may take, as far as anyone knows.
static constexpr double kSpills = 4;

/// With as many bits as can mean anything: some 1 % are one.
static int64_t round(const GpuPrice &price) {
  constexpr double kBits = 64;
  return std::llround(std::log2(std::max(price.cycles(), 1.0)) * kBits);
}

/// Whether programs wait less and nothing else takes longer: a ring hides latency at no cost then,
/// of which prices do not know all.
static bool waitsLess(const GpuPrice &price, const GpuPrice &other) {
  constexpr double kLess = 0.95;
  return price.waits < kLess * other.waits &&
         llvm::all_of(llvm::zip(price.getTerms(), other.getTerms()), [](const auto &terms) {
           return std::get<0>(terms).second <= kEqual * std::get<1>(terms).second;
         });
}

bool tw::schedule::wastesMuch(const GpuPrice &price) {
  constexpr double kMuch = 0.05;
  return price.unused > kMuch * price.cache;
}

/// Whether programs ask for so much less that they have no use for.
static bool wastesLess(const GpuPrice &price, const GpuPrice &other) {
  constexpr double kLess = 0.5;
  return wastesMuch(other) && price.unused < kLess * other.unused;
}

size_t tw::schedule::findBest(llvm::ArrayRef<GpuRanked> lists) {
  double fits = std::numeric_limits<double>::infinity(), least = fits;
  for (const GpuRanked &list : lists) {
    least = std::min(least, list.price.cycles());
    fits = list.spills ? fits : std::min(fits, list.price.cycles());
  }
  // What spills least is closest to what a price tells.
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (const GpuRanked &list : lists)
    if (list.price.cycles() <= kSpills * least)
      fewest = std::min(fewest, list.price.registers);
  bool maySpill = fits > kSpills * least;
  // The first of those that are best, or nothing.
  auto findFirst = [&](auto isAllowed, auto isBetter) {
    const GpuRanked *best = nullptr;
    for (const GpuRanked &list : lists)
      if ((maySpill ? list.price.registers == fewest : !list.spills) && isAllowed(list) &&
          (!best || isBetter(list, *best)))
        best = &list;
    return best;
  };
  auto any = [](const GpuRanked &) { return true; };
  auto none = [](const GpuRanked &, const GpuRanked &) { return false; };
  auto isCheaper = [](const GpuRanked &list, const GpuRanked &other) {
    return list.price.cycles() < other.price.cycles();
  };
  const GpuRanked *cheapest = findFirst(any, isCheaper);
  auto savesBytes = [&](const GpuRanked &list) {
    return list.price.cycles() <= kNear * cheapest->price.cycles() &&
           wastesLess(list.price, cheapest->price);
  };
  if (const GpuRanked *other = findFirst(savesBytes, isCheaper))
    cheapest = other;
  auto isEqual = [&](const GpuRanked &list) {
    return round(list.price) == round(cheapest->price) && !wastesLess(cheapest->price, list.price);
  };
  const GpuRanked *first = findFirst(isEqual, none);
  auto hasRing = [&](const GpuRanked &list) {
    return isEqual(list) && list.slots > first->slots && waitsLess(list.price, first->price);
  };
  auto hasMoreSlots = [](const GpuRanked &list, const GpuRanked &other) {
    return list.slots > other.slots;
  };
  const GpuRanked *best = first;
  if (const GpuRanked *ring = findFirst(hasRing, hasMoreSlots))
    best = ring;
  auto isOtherOrder = [&](const GpuRanked &list) {
    return isEqual(list) && list.isFree && list.slots == best->slots && isCheaper(list, *best);
  };
  if (const GpuRanked *order = findFirst(isOtherOrder, isCheaper))
    best = order;
  return size_t(best - lists.begin());
}
