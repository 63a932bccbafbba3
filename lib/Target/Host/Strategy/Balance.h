// How evenly points come out in blocks, and the programs of a grid end on several threads.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace tw::schedule::host {

/// Programs to spread over threads, where there is work for so many.
constexpr int64_t kPrograms = 8;

/// The block of equal shares of the points that is nearest to `most` of them, and not above.
int64_t shareEvenly(int64_t points, int64_t most);

/// The largest block of at most `most` points, and more than half of them, that divides all: tiles
/// at an edge are code of their own. Else one of equal shares.
int64_t findEven(int64_t points, int64_t most);

/// Programs along an axis of a grid; the last one has that share of the work of any other.
struct GridLevel {
  int64_t count = 1;
  double last = 1;
};

/// Blocks of points along an axis, the last of them smaller.
GridLevel cutInBlocks(int64_t points, int64_t block);

/// The time that two threads take for a grid over half of the time of one: 1 where they end
/// together. They take programs as the runtime's pool does: from the front of their half, then from
/// the back of the other one. Grids of many programs count as even.
double stretchOfTwo(llvm::ArrayRef<GridLevel> levels);

} // namespace tw::schedule::host
