// Blocks of equal shares, and two threads that run a grid, played through.
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

GridLevel tw::schedule::host::cutInBlocks(int64_t points, int64_t block) {
  int64_t count = llvm::divideCeil(points, block);
  return {count, double(points - (count - 1) * block) / block};
}

double tw::schedule::host::stretchOfTwo(llvm::ArrayRef<GridLevel> levels) {
  // The one that is left over at the end is a fiftieth of a thread's share.
  constexpr int64_t kMany = 100;
  int64_t count = 1;
  for (const GridLevel &level : levels) {
    count *= level.count;
    if (count > kMany)
      return 1;
  }
  llvm::SmallVector<double, kMany> work{1};
  for (const GridLevel &level : levels) {
    llvm::SmallVector<double, kMany> inner;
    for (double outer : work)
      for (int64_t i = 0; i < level.count; ++i)
        inner.push_back(i + 1 == level.count ? outer * level.last : outer);
    work = std::move(inner);
  }

  int64_t half = count / 2, begin[] = {0, half}, end[] = {half, count};
  double time[] = {0, 0};
  for (int64_t taken = 0; taken < count; ++taken) {
    unsigned thread = time[1] < time[0];
    bool own = begin[thread] < end[thread];
    time[thread] += own ? work[begin[thread]++] : work[--end[!thread]];
  }
  double total = std::accumulate(work.begin(), work.end(), 0.0);
  return std::max(time[0], time[1]) / (total / 2);
}
