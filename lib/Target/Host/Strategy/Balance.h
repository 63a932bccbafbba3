// How evenly points come out in blocks, and the programs of a grid end on several threads.
#pragma once

#include "tw/Target/Host/HostTraits.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstdint>
#include <utility>

namespace tw::schedule::host {

/// Programs to spread over threads, where there is work for so many: four for each, of which the
/// last may be smaller.
inline int64_t programsFor(const HostTraits &traits) { return 4 * traits.threads; }

/// The block of equal shares of the points that is nearest to `most` of them, and not above.
int64_t shareEvenly(int64_t points, int64_t most);

/// The largest block of at most `most` points, and more than half of them, that divides all: tiles
/// at an edge are code of their own. Else one of equal shares.
int64_t findEven(int64_t points, int64_t most);

/// Blocks of so many points, and how many there are: the whole ones but the last, and the last.
std::array<std::pair<int64_t, int64_t>, 2> wholeAndLast(int64_t points, int64_t block);

/// Programs along an axis of a grid; the last one has that share of the work of any other.
struct GridLevel {
  int64_t count = 1;
  double last = 1;
};

/// Blocks of points along an axis, the last of them smaller.
GridLevel cutInBlocks(int64_t points, int64_t block);

/// The time that so many threads take for a grid over their share of the time of one: 1 where they
/// end together. They take programs as the runtime's pool does: from the front of their part, then
/// from the back of the fullest other one. Grids of many programs for each thread count as even.
double stretchOf(llvm::ArrayRef<GridLevel> levels, int64_t threads);

} // namespace tw::schedule::host
