// Blocks of equal shares, and threads that run a grid, played through.
#include "Balance.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace tw::schedule::host;

int64_t tw::schedule::host::shareEvenly(int64_t points, int64_t most) {
  return llvm::divideCeil(points, llvm::divideCeil(points, most));
}

int64_t tw::schedule::host::findEven(int64_t points, int64_t most) {
  // Blocks, or how many of them there are, whichever is fewer to try; the largest block first.
  constexpr int64_t kTries = 1 << 16;
  int64_t largest = std::min(most, points);
  if (largest <= kTries) {
    for (int64_t block = largest; block * 2 > most; --block)
      if (points % block == 0)
        return block;
  } else if (points / largest <= kTries) {
    for (int64_t count = llvm::divideCeil(points, largest); points / count > most / 2; ++count)
      if (points % count == 0)
        return points / count;
  }
  return shareEvenly(points, most);
}

std::array<std::pair<int64_t, int64_t>, 2> tw::schedule::host::wholeAndLast(int64_t points,
                                                                            int64_t block) {
  int64_t whole = llvm::divideCeil(points, block) - 1;
  return {{{block, whole}, {points - whole * block, 1}}};
}

GridLevel tw::schedule::host::cutInBlocks(int64_t points, int64_t block) {
  int64_t count = llvm::divideCeil(points, block);
  return {count, double(points - (count - 1) * block) / block};
}

double tw::schedule::host::stretchOf(llvm::ArrayRef<GridLevel> levels, int64_t threads) {
  // The one that is left over at the end is a fiftieth of a thread's share.
  constexpr int64_t kMany = 50;
  int64_t count = 1;
  for (const GridLevel &level : levels) {
    count *= level.count;
    if (count > kMany * threads)
      return 1;
  }
  llvm::SmallVector<double> work{1};
  for (const GridLevel &level : levels) {
    llvm::SmallVector<double> inner;
    for (double outer : work)
      for (int64_t i = 0; i < level.count; ++i)
        inner.push_back(i + 1 == level.count ? outer * level.last : outer);
    work = std::move(inner);
  }

  struct Range {
    int64_t begin, end;
    double time = 0;
  };
  llvm::SmallVector<Range> ranges;
  for (int64_t i = 0; i < threads; ++i)
    ranges.push_back({count * i / threads, count * (i + 1) / threads});
  auto sizeOf = [](const Range &range) { return range.end - range.begin; };
  for (int64_t taken = 0; taken < count; ++taken) {
    Range &thread =
        *std::min_element(ranges.begin(), ranges.end(),
                          [](const Range &a, const Range &b) { return a.time < b.time; });
    if (thread.begin < thread.end) {
      thread.time += work[thread.begin++];
    } else {
      Range &other =
          *std::max_element(ranges.begin(), ranges.end(),
                            [&](const Range &a, const Range &b) { return sizeOf(a) < sizeOf(b); });
      thread.time += work[--other.end];
    }
  }
  double total = std::accumulate(work.begin(), work.end(), 0.0), longest = 0;
  for (const Range &range : ranges)
    longest = std::max(longest, range.time);
  return longest * double(threads) / total;
}
